import { kernelOf } from '../../../agent/index.ts'
import { newId } from '../../../core/index.ts'
import { graphRegistry, graphReviews, runGraph } from '../../../graph/index.ts'
import type { Flags } from '../../flags.ts'
import { addGraphs, isGraphFile } from '../../graph-files.ts'
import { withService } from '../../host.ts'
import { note } from '../../output.ts'
import { loadHost } from '../../program-files.ts'
import { need, readBudget, readJson } from '../command.ts'
import { finishRun } from '../programs.ts'

/** Runs a graph from a file, from the configuration or from the store. */
export async function runGraphCommand(flags: Flags, words: readonly string[]): Promise<number> {
  const word = need(words, 0, 'graph run <file|name> [input]')
  const text = flags.input ?? words.slice(1).join(' ')
  const input = readJson(text === '' ? '{}' : text, 'The input of the graph') as object
  const budget = readBudget(flags.budget)
  return withService(flags, await loadHost(flags.file), async (service) => {
    for (const problem of (await graphReviews(service).restore()).problems) note(problem)
    const isFile = isGraphFile(word)
    const name = isFile ? addGraphs(service, word) : graphRegistry(service).require('graph', word)
    const { clock, random } = kernelOf(service)
    const runId = newId('run', clock, random)
    const source = isFile && word !== '-' ? word : undefined
    const run = runGraph(service, name, input, { runId, budget, source })
    return finishRun(flags, service, { runId, result: run.outcome })
  })
}
