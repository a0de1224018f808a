import { appendFileSync, readFileSync } from 'node:fs'
import { isErased } from '../../src/journal/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import type { Engine } from '../../src/run/index.ts'
import type { Order } from './engines.ts'

/** Told of a place that a run is at. */
type Pass = (run: string, place: string) => void

/**
 * Writes down the places that runs pass in this process: before and after each thing that outlives it. At the place that its order names the process is
 * killed, once for each run: whoever takes the run over passes the same place and goes on.
 */
export function passing({ places, killAt = {} }: Order): Pass | undefined {
  if (places === undefined) return undefined
  return (run, place) => {
    const root = rootOf(run)
    const name = `${run.slice(root.length)} ${place}`.trim()
    if (killAt[root] !== name) return void (root in killAt || appendFileSync(places, `passed ${name}\n`))
    const killed = `killed ${root} ${name}\n`
    if (readFileSync(places, 'utf8').includes(killed)) return
    appendFileSync(places, killed)
    process.kill(process.pid, 'SIGKILL')
  }
}

/** The places that are written down in a file, each once, in their order. */
export function readPlaces(file: string, word: 'passed' | 'killed'): readonly string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return [...new Set(lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1)))]
}

/** By what it is about, and not by its number: a run that was suspended once more than another has the same places all the same. */
function nameOf(entry: Entry): string {
  if (entry.key !== undefined) return `${entry.type}(${entry.key})`
  return entry.type === 'run-suspend' && !isErased(entry) ? `${entry.type}(${entry.data.reason})` : entry.type
}

export function journalWithPlaces(journal: Journal, pass: Pass): Journal {
  const around = async <T>(run: string, what: string, act: () => Promise<T>): Promise<T> => {
    pass(run, `before ${what}`)
    const result = await act()
    pass(run, `after ${what}`)
    return result
  }
  return overlaid(journal, {
    append: (lease, seq, entries, ...rest) =>
      around(lease.run, `append ${entries.map(nameOf).join('+')}`, () => journal.append(lease, seq, entries, ...rest)),
    acquire: (options) => around(options.run, 'acquire', () => journal.acquire(options)),
    release: (lease) => around(lease.run, 'release', () => journal.release(lease)),
  })
}

/** What an engine is told when a run falls asleep. */
export function engineWithPlaces(engine: Engine, pass: Pass): Engine {
  const schedule: Engine['schedule'] = async (run, at) => {
    pass(run, 'before schedule')
    await engine.schedule(run, at)
    pass(run, 'after schedule')
  }
  return overlaid(engine, { schedule })
}

/** The same with some methods replaced. */
function overlaid<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name): unknown {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function rootOf(run: string): string {
  const dot = run.indexOf('.')
  return dot < 0 ? run : run.slice(0, dot)
}
