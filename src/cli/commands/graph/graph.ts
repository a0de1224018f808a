import { writeFileSync } from 'node:fs'
import {
  blueprintHash,
  diffBlueprints,
  formatRag,
  graphRegistry,
  graphReviews,
  printRag,
  toMermaid,
} from '../../../graph/index.ts'
import type { Blueprint } from '../../../graph/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { catalogHere, hasErrors, isGraphFile, oneGraph, readGraphs, readText, renderFile } from '../../graph-files.ts'
import { withService } from '../../host.ts'
import { count, note, print } from '../../output.ts'
import { loadHost } from '../../program-files.ts'
import { chooseAction, need } from '../command.ts'
import { usageOf } from '../../help/commands.ts'
import type { Command } from '../command.ts'
import { runGraphCommand } from './graph-run.ts'
import { reviewGraphCommand } from './graph-review.ts'

const USAGE = usageOf('graph')

/** Checks, formats, compares, shows and runs graphs. */
export const graphCommand: Command = {
  run(flags, words) {
    return chooseAction(ACTIONS, { command: 'graph', usage: USAGE }, words)(flags, words.slice(1))
  },
}

type Action = (flags: Flags, words: readonly string[]) => Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = {
  ...{ check, fmt, diff, show },
  run: runGraphCommand,
  review: reviewGraphCommand,
}

/** Reports the problems of files with their lines. Names are resolved if the project has a configuration. */
async function check(flags: Flags, words: readonly string[]): Promise<number> {
  need(words, 0, 'graph check <file>...')
  const catalog = await catalogHere(flags)
  const files = words.map((file) => readGraphs(file, catalog))
  const found = files.map(({ file, diagnostics, graphs }) => ({
    file,
    graphs: graphs.map(({ name }) => name),
    diagnostics,
  }))
  print(flags, found, () =>
    files
      .map(renderFile)
      .filter((text) => text !== '')
      .join('\n\n'),
  )
  const errors = files.flatMap(({ diagnostics }) => diagnostics).filter(({ severity }) => severity === 'error')
  const names = catalog === undefined ? '; names were not checked: there is no mandate.config.ts and no --file' : ''
  note(`${count(files.length, 'file')}, ${count(errors.length, 'error')}${names}`)
  return files.some(hasErrors) ? EXIT.failed : EXIT.ok
}

/** Rewrites files in the standard format. With `--check` it only lists files in another format. */
async function fmt(flags: Flags, words: readonly string[]): Promise<number> {
  need(words, 0, 'graph fmt <file>...')
  let code: number = EXIT.ok
  const changed: string[] = []
  for (const file of words) {
    const before = readText(file)
    const { text, diagnostics } = formatRag(before)
    if (text === undefined) {
      note(renderFile({ file, text: before, graphs: [], diagnostics }))
      code = EXIT.failed
    } else if (file === '-' && !flags.check) process.stdout.write(text)
    else if (text !== before) {
      changed.push(file)
      if (!flags.check) writeFileSync(file, text)
    }
  }
  if (!words.includes('-') || flags.check) print(flags, changed, () => changed.join('\n'))
  note(`${count(changed.length, 'file')} ${flags.check ? 'would change' : 'changed'}`)
  return flags.check && changed.length > 0 ? EXIT.failed : code
}

/** Shows the differences of two graphs, each a file or a registered graph. The exit code is 1 if they differ, as with `diff`. */
async function diff(flags: Flags, words: readonly string[]): Promise<number> {
  const before = await graphOf(flags, need(words, 0, 'graph diff <a> <b>'))
  const after = await graphOf(flags, need(words, 1, 'graph diff <a> <b>'))
  const { changes, text } = diffBlueprints(before, after)
  print(flags, changes, () => text)
  note(changes.length === 0 ? 'They do the same.' : count(changes.length, 'change'))
  return changes.length === 0 ? EXIT.ok : EXIT.failed
}

/** Shows a graph as text, as a diagram, or as its blueprint. */
async function show(flags: Flags, words: readonly string[]): Promise<number> {
  const blueprint = await graphOf(flags, need(words, 0, 'graph show <file|name> [--mermaid]'))
  print(flags, blueprint, () => (flags.mermaid ? toMermaid(blueprint) : textOf(blueprint)))
  note(`hash ${blueprintHash(blueprint)}`)
  return EXIT.ok
}

/** Returns the text of a graph, or its JSON if it contains functions, which have no text form. */
function textOf(blueprint: Blueprint): string {
  if (blueprint.nodes.some(({ kind }) => (kind as string) === 'code')) return JSON.stringify(blueprint, null, 2)
  return printRag(blueprint).trimEnd()
}

/** Finds a graph in a file, in the configuration or in the store. */
async function graphOf(flags: Flags, word: string): Promise<Blueprint> {
  if (isGraphFile(word)) return oneGraph(word)
  let found: Blueprint | undefined
  await withService(flags, await loadHost(flags.file), async (service) => {
    await graphReviews(service).restore()
    const names = graphRegistry(service)
    found = names.blueprint(names.require('graph', word))
    return EXIT.ok
  })
  return found!
}
