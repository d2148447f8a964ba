import { roles } from "../../api/account-operations.js";
import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, textOption } from "../terminal/usage/options.js";

const listCommand = command({
  name: "list",
  describe: "List the projects that you are in",
  options: { output: outputOption },
  examples: [["$0 project list --output json", "with their ids and your roles, for a script"]],
  load: remotely(async () => (await import("./manage-projects.js")).listProjects),
});

const useCommand = command({
  name: "use <nameOrId>",
  describe: "Select the project that later commands use",
  positionals: {
    nameOrId: { type: "string", demandOption: true, describe: "name or id of one of your projects" },
  },
  examples: [["$0 project use Pools", "until you select a different one"]],
  load: remotely(async () => (await import("./use-project.js")).useProject),
});

const createCommand = command({
  name: "create",
  describe: "Create a project and become its Owner",
  options: {
    name: {
      ...textOption,
      demandOption: "Pass the project's name: --name <name>",
      describe: "name of the project",
    },
    output: outputOption,
  },
  examples: [
    ["$0 project create --name Pools", "prints its id"],
    ["$0 project create --name Pools --output json", "the same for a script"],
  ],
  load: remotely(async () => (await import("./manage-projects.js")).createProject),
});

const updateCommand = command({
  name: "update",
  describe: "Rename the project",
  options: {
    name: { ...textOption, demandOption: "Pass the new name: --name <name>", describe: "new name" },
  },
  examples: [["$0 project update --name Pools", "renames the selected project"]],
  load: remotely(async () => (await import("./manage-projects.js")).updateProject),
});

const leaveCommand = command({
  name: "leave",
  describe: "Leave a project",
  options: {
    projectId: {
      ...textOption,
      demandOption: "Pass the project's id: --projectId <id>",
      describe: "id of the project, as graphloom project list shows it",
    },
    force: { ...deleteOption, describe: "leave without asking for confirmation" },
  },
  examples: [["$0 project leave --projectId project_5f0c1e", "asks for confirmation in a terminal"]],
  load: remotely(async () => (await import("./leave-project.js")).leaveProject),
});

const emailOption = {
  ...textOption,
  demandOption: "Pass the person's address: --email <address>",
  describe: "email address of the person",
} as const;

const listUsersCommand = command({
  name: "list",
  describe: "List the members of the project and its open invitations",
  options: { output: outputOption },
  examples: [["$0 project users list", "with their roles"]],
  load: remotely(async () => (await import("./manage-users.js")).listUsers),
});

const inviteCommand = command({
  name: "invite",
  describe: "Invite people to the project",
  options: {
    emails: {
      type: "array",
      string: true,
      requiresArg: true,
      coerce: (given: readonly unknown[]): readonly string[] => given.map(String),
      demandOption: "Pass the addresses to invite: --emails <address> <address>",
      describe: "email addresses to invite",
    },
    role: { choices: roles, default: "Viewer", requiresArg: true, describe: "role to give them" },
    output: outputOption,
  },
  examples: [
    [
      "$0 project users invite --emails ann@example.com bob@example.com",
      "prints the links that were not mailed",
    ],
  ],
  load: remotely(async () => (await import("./manage-users.js")).inviteUsers),
});

const removeCommand = command({
  name: "remove",
  describe: "Remove a member from the project, or withdraw their invitation",
  options: {
    email: emailOption,
    force: { ...deleteOption, describe: "remove without asking for confirmation" },
  },
  examples: [["$0 project users remove --email ann@example.com", "asks for confirmation in a terminal"]],
  load: remotely(async () => (await import("./manage-users.js")).removeUser),
});

const updateUserCommand = command({
  name: "update",
  describe: "Change a member's role in the project",
  options: {
    email: emailOption,
    role: {
      choices: roles,
      demandOption: "Pass the new role: --role <role>",
      requiresArg: true,
      describe: "new role",
    },
  },
  examples: [["$0 project users update --email ann@example.com --role Editor", "makes her an Editor"]],
  load: remotely(async () => (await import("./manage-users.js")).updateUser),
});

const usersCommands = group({
  name: "users",
  describe: "List, invite, change and remove the members of the project",
  usage: "$0 project users <command>\n\nList, invite, change and remove the members of the project",
  demand: "No command given. Try: graphloom project users invite --help",
  commands: [listUsersCommand, inviteCommand, removeCommand, updateUserCommand],
});

export const projectCommands = group({
  name: "project",
  describe: "Manage projects and their members",
  usage: "$0 project <command>\n\nManage projects and their members",
  demand: "No command given. Try: graphloom project list --help",
  commands: [listCommand, useCommand, createCommand, updateCommand, leaveCommand, usersCommands],
});
