import { isPlainWord } from "./bash-script.js";
import type { CompletedCommand, CompletedOption } from "./completion-table.js";

/** A script for PowerShell: `graphloom completion powershell | Out-String | Invoke-Expression`. */
export function powershellScript(table: readonly CompletedCommand[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [quoted(path)]));
  // npm installs graphloom.cmd and graphloom.ps1 on Windows. A completer that returns nothing lets PowerShell offer files.
  return `# Completion of graphloom for PowerShell. Add to $PROFILE:
#   graphloom completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'graphloom', 'graphloom.cmd', 'graphloom.ps1' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $current = "$wordToComplete"
  $paths = @(${paths.join(", ")})
  $at = ''
  $previous = ''
  foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    $previous = $element.Extent.Text
    $next = "$at $previous".Trim()
    if ($paths -ccontains $next) { $at = $next }
  }
  $prefix = ''
  if ($current -cmatch '^(--[^=]+)=(.*)$') {
    $previous = $Matches[1]
    $current = $Matches[2]
    $prefix = "$previous="
  }
  $commands = @()
  $options = @()
  $choices = @()
  $takes = $false
  switch -CaseSensitive ($at) {
${table.map(branch).join("\n")}
  }
  if ($takes) {
    if ($prefix) {
      foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)) {
        [System.Management.Automation.CompletionResult]::new("$prefix$($file.CompletionText)", $file.ListItemText, $file.ResultType, $file.ToolTip)
      }
    }
    return
  }
  $offered = if ($choices) { $choices } elseif ($current.StartsWith('-')) { $options } else { $commands }
  foreach ($item in $offered) {
    $word, $about = $item -split '\\|', 2
    if (-not $word.StartsWith($current, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
    if (-not $about) { $about = $word }
    $text = "$prefix$word"
    if ($text -match '[,@%]') { $text = "'$text'" }
    [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $about)
  }
}
`;
}

function branch({ path, commands, values, options }: CompletedCommand): string {
  const words = [
    ...commands.map(({ word, describe }) => item(word, describe)),
    ...values.filter(isPlainWord).map((value) => item(value, "")),
  ];
  const named = options.flatMap(({ names, describe }) => names.map((name) => item(name, describe)));
  const cases = options.filter(({ value }) => value !== "none").map(choosing);
  // PowerShell refuses a switch without cases.
  const chosen =
    cases.length === 0 ? "" : `\n      switch -CaseSensitive ($previous) {\n${cases.join("\n")}\n      }`;
  return `    ${quoted(path)} {
      $commands = @(${words.join(", ")})
      $options = @(${named.join(", ")})${chosen}
    }`;
}

function choosing({ names, value }: CompletedOption): string {
  const act =
    typeof value === "string"
      ? "$takes = $true"
      : `$choices = @(${value.filter(isPlainWord).map(quoted).join(", ")})`;
  return `        { @(${names.map(quoted).join(", ")}) -ccontains $_ } { ${act} }`;
}

/** A word and its description, separated by a bar, which no word contains. */
function item(word: string, describe: string): string {
  return quoted(describe === "" ? word : `${word}|${describe}`);
}

/**
 * Quotes a text for PowerShell. On Windows it may read what a program prints in a code page other than UTF-8, in which the
 * bytes of other characters can become quotation marks, so that only ASCII remains.
 */
function quoted(text: string): string {
  const plain = text.replaceAll("…", "...").replaceAll(/[^ -~]/g, "");
  return `'${plain.replaceAll("'", "''")}'`;
}
