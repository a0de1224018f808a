import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodeOfCode } from '../../src/cli/exit-codes.ts'
import { THEMES } from '../../src/cli/help/command-help.ts'
import { COMMANDS } from '../../src/cli/help/commands.ts'
import { GENERAL, type OptionName, optionOf } from '../../src/cli/help/options.ts'
import { ERROR_CODES } from '../../src/core/index.ts'
import { ENTRY_TYPES } from '../../src/journal/entry.ts'
import { type Declared, findName } from './declared.ts'
import type { Page } from './pages.ts'
import { describe, innerTypes } from './reference.ts'

const ERRORS = join(import.meta.dirname, '../../docs/errors.md')

function page(name: string, title: string, description: string, parts: readonly string[]): Page {
  const slug = `reference/${name}`
  return { path: `docs/${slug}.md`, slug, title, description, body: [description, ...parts].join('\n\n') }
}

/** Returns the pages that are generated from tables in the sources rather than from the public names. */
export function topicPages(): Page[] {
  return [commandsPage(), configurationPage(), resultsPage(), entriesPage(), codesPage()]
}

/** Renders all commands with their options and examples, from the table that the help uses. */
function commandsPage(): Page {
  const sections = Object.entries(THEMES).flatMap(([theme, title]) => {
    const commands = [...COMMANDS].filter(([, command]) => command.theme === theme)
    return commands.length === 0 ? [] : [`## ${title}`, ...commands.flatMap(([name]) => commandSection(name))]
  })
  return page(
    'commands',
    'Commands and options',
    'Every command, with its options and examples: what `mandate help <command>` shows.',
    [
      ...sections,
      '## Options of every command',
      optionTable(GENERAL.map((name) => [name, optionOf(name).about ?? ''])),
    ],
  )
}

function commandSection(name: string): string[] {
  const { usage, about, more, actions, options, examples } = COMMANDS.get(name)!
  return [
    `### mandate ${name}`,
    `\`mandate ${name}${usage === '' ? '' : ` ${usage}`}\``,
    `${about}.${more === undefined ? '' : ` ${more}`}`,
    ...(actions === undefined
      ? []
      : [
          table(
            ['verb', 'what it does'],
            actions.map(([words, what]) => [`\`${name} ${words}\``, what]),
          ),
        ]),
    ...(options === undefined ? [] : [optionTable(Object.entries(options) as [OptionName, string][])]),
    `\`\`\`sh\n${examples.map(([words, what]) => `${withName(words)}   # ${what}`).join('\n')}\n\`\`\``,
  ]
}

function withName(words: string): string {
  return words.includes('mandate ') ? words : `mandate ${words}`
}

function optionTable(rows: readonly (readonly [OptionName, string])[]): string {
  return table(
    ['option', 'meaning'],
    rows.map(([name, about]) => {
      const { short, value } = optionOf(name)
      const words = `--${name}${value === undefined ? '' : ` ${value}`}${short === undefined ? '' : `, -${short}`}`
      return [`\`${words}\``, about]
    }),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`
  const codeKept = (text: string): string => text.replace(/`[^`]*`/g, (code) => code.replaceAll('&lt;', '<'))
  return codeKept([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'))
}

/** Renders the sections of types, and of the types of their fields. */
function typesOf(names: readonly (readonly [path: string, name: string])[]): string[] {
  const declared = names.map(([path, name]) => {
    const found = findName(path, name)
    if (found === undefined) throw new Error(`${path} declares no ${name}`)
    return found
  })
  const inner: Declared[] = innerTypes(declared, new Set(names.map(([, name]) => name)), 1)
  return [
    ...declared.flatMap((one) => describe(one.name, one)),
    ...(inner.length === 0 ? [] : ['## Types of these fields']),
    ...inner.flatMap((one) => describe(one.name, one)),
  ]
}

function configurationPage(): Page {
  return page(
    'configuration',
    'Configuration',
    'Every field of an agent, a service, a run, a mandate and a budget. A name that is not here is refused, with the nearest one that is.',
    [
      '## Fields',
      ...typesOf([
        ['src/agent/index.ts', 'AgentConfig'],
        ['src/agent/index.ts', 'ServiceOptions'],
        ['src/run/index.ts', 'KernelOptions'],
        ['src/agent/index.ts', 'RunOptions'],
        ['src/gate/index.ts', 'Mandate'],
        ['src/core/index.ts', 'BudgetLimits'],
        ['src/core/index.ts', 'RunLimits'],
        ['src/tool/index.ts', 'ToolLike'],
        ['src/run/public.ts', 'ForkOptions'],
      ]),
    ],
  )
}

function resultsPage(): Page {
  return page('results', 'Results and statuses', 'Every field of a result, of what it waits for, and of its report.', [
    '## Fields',
    ...typesOf([
      ['src/agent/index.ts', 'AgentResult'],
      ['src/agent/index.ts', 'AgentStatus'],
      ['src/agent/index.ts', 'PendingCall'],
      ['src/core/index.ts', 'Outcome'],
      ['src/run/public.ts', 'ReplayReport'],
      ['src/journal/public.ts', 'VerifyReport'],
    ]),
  ])
}

function entriesPage(): Page {
  const data = findName('src/journal/entry-data.ts', 'EntryDataByType')
  const events = findName('src/journal/event-data.ts', 'EventDataByType')
  if (data === undefined || events === undefined) throw new Error('src/journal declares no types of entries')
  const inner = innerTypes([data], new Set(['Entry', 'EntryDataByType']))
  return page(
    'journal-entries',
    'Journal entries and events',
    'Every type of entry with its data, and the events that are not stored. The bytes are described in the page about the journal format.',
    [
      `${ENTRY_TYPES.length} types of entries: ${ENTRY_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
      '## Data by type',
      ...describe('EntryDataByType', data),
      ...inner.flatMap((one) => describe(one.name, one)),
      '## Events',
      ...describe('EventDataByType', events),
    ],
  )
}

/** Renders each error code under its own heading, so that it can be linked to, with its description from docs/errors.md and the exit code of the command. */
function codesPage(): Page {
  const rows = new Map(
    [...readFileSync(ERRORS, 'utf8').matchAll(/^\| <a id="[a-z-]+"><\/a>`([A-Z_]+)` \| (.*) \| (.*) \|$/gm)].map(
      (match) => [match[1]!, match],
    ),
  )
  const sections = ERROR_CODES.flatMap((code) => {
    const [, , meaning = '', remedy = ''] = rows.get(code) ?? []
    const parts = [
      sentence(meaning),
      `**What to do:** ${sentence(remedy)}`,
      `Exit code of the command: ${exitCodeOfCode(code)}.`,
    ]
    return [`### ${code}`, parts.join('\n\n')]
  })
  return page(
    'error-codes',
    'Error codes',
    `The ${ERROR_CODES.length} codes that an error or an outcome can have; the list is closed.`,
    ['How errors are thrown and returned: [errors](../errors.md).', '## Codes', ...sections],
  )
}

function sentence(text: string): string {
  // The generated page is one folder deeper than docs/errors.md.
  const moved = text.replace(/\]\((?!https?:|#)/g, '](../')
  return `${moved.slice(0, 1).toUpperCase()}${moved.slice(1).replace(/\.$/, '')}.`
}
