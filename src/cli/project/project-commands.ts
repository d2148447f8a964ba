import { roles } from "../../api/account-operations.js";
import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, textOption } from "../terminal/options.js";

const listCommand = command({
  name: "list",
  describe: "List the projects that you are in",
  options: { output: outputOption },
  examples: [["$0 project list --output json", "with their ids and your roles, for a program"]],
  load: remotely(async () => (await import("./manage-projects.js")).listProjects),
});

const useCommand = command({
  name: "use <nameOrId>",
  describe: "Have all commands be about a project from now on",
  positionals: {
    nameOrId: { type: "string", demandOption: true, describe: "name or id of a project of yours" },
  },
  examples: [["$0 project use Pools", "until another one is used"]],
  load: remotely(async () => (await import("./use-project.js")).useProject),
});

const createCommand = command({
  name: "create",
  describe: "Create a project, and be its Owner",
  options: {
    name: { ...textOption, demandOption: "say how it is called: --name <name>", describe: "name" },
    output: outputOption,
  },
  examples: [
    ["$0 project create --name Pools", "prints its id"],
    ["$0 project create --name Pools --output json", "the same for a program"],
  ],
  load: remotely(async () => (await import("./manage-projects.js")).createProject),
});

const updateCommand = command({
  name: "update",
  describe: "Give the project another name",
  options: {
    name: { ...textOption, demandOption: "say what it shall be called: --name <name>", describe: "new name" },
  },
  examples: [["$0 project update --name Pools", "the project that is used"]],
  load: remotely(async () => (await import("./manage-projects.js")).updateProject),
});

const leaveCommand = command({
  name: "leave",
  describe: "Leave a project",
  options: {
    projectId: {
      ...textOption,
      demandOption: "say which project: --projectId <id>",
      describe: "its id; graphloom project list shows it",
    },
    force: { ...deleteOption, describe: "leave without asking at a terminal" },
  },
  examples: [["$0 project leave --projectId project_5f0c1e", "asks first at a terminal"]],
  load: remotely(async () => (await import("./leave-project.js")).leaveProject),
});

const emailOption = {
  ...textOption,
  demandOption: "say who: --email <address>",
  describe: "address of mail",
} as const;

const listUsersCommand = command({
  name: "list",
  describe: "List who is in the project, and who is invited",
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
      demandOption: "say whom: --emails <address> <address>",
      describe: "addresses of mail",
    },
    role: { choices: roles, default: "Viewer", requiresArg: true, describe: "what they may do" },
    output: outputOption,
  },
  examples: [
    ["$0 project users invite --emails ann@example.com bob@example.com", "prints links that were not mailed"],
  ],
  load: remotely(async () => (await import("./manage-users.js")).inviteUsers),
});

const removeCommand = command({
  name: "remove",
  describe: "Remove somebody from the project, or take their invitation back",
  options: {
    email: emailOption,
    force: { ...deleteOption, describe: "remove without asking at a terminal" },
  },
  examples: [["$0 project users remove --email ann@example.com", "asks first at a terminal"]],
  load: remotely(async () => (await import("./manage-users.js")).removeUser),
});

const updateUserCommand = command({
  name: "update",
  describe: "Give somebody in the project another role",
  options: {
    email: emailOption,
    role: {
      choices: roles,
      demandOption: "say what they shall be: --role <role>",
      requiresArg: true,
      describe: "what they may do",
    },
  },
  examples: [["$0 project users update --email ann@example.com --role Editor", "from now on"]],
  load: remotely(async () => (await import("./manage-users.js")).updateUser),
});

const usersCommands = group({
  name: "users",
  describe: "List, invite, change and remove the people of the project",
  usage: "$0 project users <command>\n\nList, invite, change and remove the people of the project",
  demand: "Say what to do: graphloom project users invite --help",
  commands: [listUsersCommand, inviteCommand, removeCommand, updateUserCommand],
});

/** `project` */
export const projectCommands = group({
  name: "project",
  describe: "Manage projects and who is in them",
  usage: "$0 project <command>\n\nManage projects and who is in them",
  demand: "Say what to do: graphloom project list --help",
  commands: [listCommand, useCommand, createCommand, updateCommand, leaveCommand, usersCommands],
});
