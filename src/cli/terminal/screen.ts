/** The whole terminal, used by one command until it is closed. */
export interface Screen {
  readonly size: { readonly rows: number; readonly columns: number };
  /** Shows lines from the top; each must fit the width and contain no control characters. */
  draw(lines: readonly ScreenLine[]): void;
  /** Restores the terminal. */
  close(): void;
}

export interface ScreenLine {
  readonly text: string;
  readonly style: "plain" | "bar" | "selected" | "match";
}

/** Receives the user's input. */
export interface ScreenHearer {
  /** Input from the keyboard. */
  keys(text: string): void;
  resized(): void;
}

/** Takes the whole terminal. */
export type OpenScreen = (hearer: ScreenHearer) => Screen;

/** The streams of a terminal, and how to get called before the process ends. */
export interface ScreenPlace {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** @returns a function that unregisters the call */
  onExit(restore: () => void): () => void;
}

const csi = "\u001b[";
/** Switches to another screen without line wrap and cursor; and back. */
const enter = `${csi}?1049h${csi}?7l${csi}?25l`;
const leave = `${csi}0m${csi}?25h${csi}?7h${csi}?1049l`;
const styles: Readonly<Record<ScreenLine["style"], string>> = {
  plain: "",
  bar: `${csi}7m`,
  selected: `${csi}1;7m`,
  match: `${csi}4m`,
};

/** Opens the screens of a terminal. */
export function screensOf({ input, output, onExit }: ScreenPlace): OpenScreen {
  return ({ keys, resized }) => {
    let isOpen = true;
    const hear = (piece: Buffer | string): void => keys(piece.toString());
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      forget();
      output.off("resize", resized);
      input.off("data", hear);
      input.setRawMode(false);
      input.pause();
      output.write(leave);
    };
    const forget = onExit(close);
    input.setRawMode(true);
    input.on("data", hear);
    input.resume();
    output.on("resize", resized);
    output.write(enter);
    return {
      get size() {
        // Some terminals report nothing.
        return { rows: output.rows || 24, columns: output.columns || 80 };
      },
      draw(lines) {
        if (!isOpen) return;
        const shown = lines.map(({ text, style }) => `${styles[style]}${text}${csi}K${csi}0m`);
        output.write(`${csi}H${shown.join("\r\n")}${csi}J`);
      },
      close,
    };
  };
}
