import type { CommandHelp } from '../command-help.ts'
import { BUDGET, CONTEXT, FILE_OF_AGENTS, MODEL, PACK, READ_ONLY, SIGNING } from '../shared-texts.ts'

export const START_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  init: {
    theme: 'start',
    usage: '[folder]',
    about: 'Create a project from a template',
    more: 'Templates: agent (an agent with tools), chat (an application with useChat), analyst (code mode over data), graph (a graph with review), mcp (a governed MCP server). Each runs offline at once. Existing files are never overwritten.',
    options: { template: 'agent, chat, analyst, graph or mcp (default: asked for, or agent)' },
    examples: [
      ['init my-agent', 'asks for the template'],
      ['init my-chat --template chat', 'without a question'],
    ],
  },
  run: {
    theme: 'start',
    usage: '<file|agent> [prompt]',
    about: 'Run an agent, a program or a script',
    more: 'The file exports an agent; a name means an agent of mandate.config.ts. A .json file is a program and a .js file a script; their arguments follow as JSON. Every run is stored: show, resume, fork and replay need only its id. --pack needs no file: reading is allowed, everything else asks for approval, and keys, .env files and everything outside this folder are out of reach.',
    options: {
      pack: PACK,
      model: MODEL,
      budget: BUDGET,
      file: 'a picture or document to attach to the prompt; for a program, its host',
      context: `for an agent in code mode: ${CONTEXT}`,
      input: 'the arguments of a program, as JSON',
      fuel: 'what a program may spend (default: 100000)',
      detach: 'hand the run to the workers of a postgres:// store, print its id and end',
      priority: 'place among the runs that wait for a worker: high, normal or low',
      'agents-md': 'add the AGENTS.md of this folder to the system prompt',
      ...SIGNING,
    },
    examples: [
      ['run agent.ts "How warm is it in Oslo?"', 'run the agent that a file exports'],
      ['run writer "A haiku" --budget money=0.10', 'an agent of mandate.config.ts, for at most 10 cents'],
      ['run agent.ts "What is this?" --file photo.png', 'with a picture'],
      [
        'run --pack filesystem "Find the failing test"',
        'no code: ready tools for this folder; changes need an approval',
      ],
      ['run analyst "What failed first?" --context server.log', 'an agent in code mode that reads a large file'],
      ['run agent.ts "Go on" --jsonl', 'events as they happen, for a program'],
      ['run writer "A haiku" --detach --dir postgres://…', 'for a worker; follow it with mandate logs -f'],
    ],
    words: 'file',
  },
  chat: {
    theme: 'start',
    usage: '[file|agent]',
    about: 'Talk to an agent',
    more: 'Each line is a message, also from a pipe; /help lists the commands. Every turn is a run.',
    options: {
      session: 'the conversation to continue, or the id of a new one',
      pack: PACK,
      model: MODEL,
      budget: BUDGET,
      ...SIGNING,
    },
    examples: [
      ['chat', 'talk to the first agent of mandate.config.ts'],
      ['chat writer --session trip', 'another agent, and an id to continue with later'],
      ['chat agent.ts --json < questions.txt', 'messages from a file, each turn as JSON'],
    ],
    words: 'file',
  },
  repl: {
    theme: 'start',
    usage: '[session]',
    about: 'Evaluate cells of code; variables persist',
    more: ':help lists the commands. Ctrl-C stops a cell and keeps the session. Cells can also come from a pipe. They can call the tools of the project; with --agent, also those of that agent, under its mandate.',
    options: {
      agent:
        'the agent whose tools and mandate the cells have (default: the only one of a project without tools of its own)',
      context: CONTEXT,
      budget: BUDGET,
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['repl sales', 'open a session, or continue it'],
      ['repl sales --agent analyst', 'with the tools of an agent, under its mandate'],
      ['repl logs --context server.log', 'cells read the file: await context.count(/ERROR/)'],
      ["echo '1 + 1' | mandate repl", 'a cell from a pipe'],
    ],
  },
  studio: {
    theme: 'start',
    usage: '[file]',
    about: 'Show runs and pending requests in the browser',
    more: 'Agents come from the file, or from mandate.config.ts. The link it prints signs the browser in.',
    options: {
      port: 'the port (default: 4321, or a free one)',
      demo: 'show sample runs, kept in memory',
      'read-only': READ_ONLY,
      ...SIGNING,
    },
    examples: [
      ['studio', 'the runs of this folder'],
      ['studio --demo', 'a dozen sample runs: no key, no cost'],
    ],
    words: 'file',
  },
}
