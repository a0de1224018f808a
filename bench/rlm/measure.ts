// One question in a separate process: `node bench/rlm/measure.ts <side> <task> <file> [model]` prints the result. Without a model id the models are scripted.
import { readFileSync } from 'node:fs'
import { Agent } from 'mandate'
import { installedModels } from 'mandate/connect'
import { modelById } from 'mandate/model'
import type { Model } from 'mandate/model'
import { cellDriver, writer } from './cell-driver.ts'
import { counted, noCounts } from './counted-model.ts'
import type { Counts } from './counted-model.ts'
import { noteTaker, plainLoop } from './plain-loop.ts'
import { TASKS } from './tasks.ts'
import type { Task } from './tasks.ts'

/** The cost of answering a question. */
export interface Taken extends Counts {
  readonly answer: string
  readonly ms: number
  /** Peak memory of the process, minus that before the question. */
  readonly megabytes: number
}

const [side = '', name = '', path = '', id] = process.argv.slice(2)
const task = TASKS.find((one) => one.name === name)!
const counts = noCounts()
const model = (script: Model): Model => counted(id === undefined ? script : modelById(id, installedModels()), counts)

const sides: Readonly<Record<string, () => Promise<string>>> = {
  cells: () => cellDriver(task, path, model(writer(task))),
  loop: () => plainLoop(task, path, model(noteTaker(task))),
  prompt: () => onePrompt(task),
}

/** The largest context window of current models. */
const WINDOW_TOKENS = 1_000_000

/** Sends the whole input in one prompt. */
async function onePrompt({ question }: Task): Promise<string> {
  const text = readFileSync(path, 'latin1')
  const { text: answer, error } = await new Agent({ model: model(noteTaker(task)) }).run(`${question}\n${text}`)
  if (counts.largest > WINDOW_TOKENS) return `refused: ${counts.largest} tokens fit into no window`
  return error === undefined ? answer : `refused: ${error.message}`
}

const before = process.memoryUsage.rss()
const start = performance.now()
const answer = await sides[side]!().catch((error: unknown) => `refused: ${(error as Error).message}`)
const ms = performance.now() - start
const megabytes = Math.max(process.resourceUsage().maxRSS * 1024 - before, 0) / 1e6
const taken: Taken = { answer, ms, megabytes, ...counts }
console.log(JSON.stringify(taken))
