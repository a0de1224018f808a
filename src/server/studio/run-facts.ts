import type { Json, JsonObject } from '../../core/index.ts'
import { isErased } from '../../journal/index.ts'
import type { Entry } from '../../journal/index.ts'
import type { Call, Route } from '../http/route.ts'
import { spoken } from './light-entry.ts'

/** The maximum number of runs in a request. */
const RUNS_MAX = 100
const ASKED_MAX = 200
/** The maximum number of runs whose facts are cached. */
const KEPT = 1_000

/** What a list shows of a run beyond its summary, from the entries that were read so far. */
interface Facts {
  readonly seq: number
  readonly asked: string
  readonly money: number
  /** A provider did not report some of what was used. */
  readonly estimated?: true
  /** How long the run was active, from its latest suspension or its end, without waiting times. */
  readonly activeMs?: number
  /** Why the run failed: the code and the message of its error. */
  readonly failure?: { readonly code: string; readonly message: string }
  /** The latest calls that the gate denied. */
  readonly denials: readonly Denial[]
}

interface Denial {
  readonly seq: number
  readonly at: number
  readonly name: string
  readonly rule: string
  readonly reason: string
}

const DENIALS_MAX = 5
const NOTHING: Facts = { seq: 0, asked: '', money: 0, denials: [] }

/**
 * Returns the route `GET /api/run-facts`: what runs were asked, what they spent, why they failed, and what the gate denied them. Journals are append-only, so
 * for a cached run only new entries are read. Runs that cannot be read are omitted.
 */
export function runFactsRoute(): Route {
  const known = new Map<string, Facts>()
  return {
    method: 'GET',
    path: '/api/run-facts',
    summary: 'What runs were asked, what they spent, and what the gate denied them.',
    tag: 'studio',
    access: 'identity',
    query: {
      type: 'object',
      properties: { runs: { type: 'array', items: { type: 'string' }, maxItems: RUNS_MAX } },
      required: ['runs'],
      additionalProperties: false,
    },
    answer: {
      status: 200,
      schema: { type: 'object', properties: { facts: { type: 'object' } }, required: ['facts'] },
    },
    async handle({ service, query }: Call): Promise<Json> {
      const { runs } = query as unknown as { readonly runs: readonly string[] }
      const facts: Record<string, Json> = {}
      for (const run of runs) {
        // Checked in the name of the caller each time, so that cached facts are not returned to a caller who may not read the run.
        const found = await readOn(service, run, known.get(run) ?? NOTHING).catch(() => undefined)
        if (found === undefined) continue
        known.delete(run)
        known.set(run, found)
        const { seq: _, ...told } = found
        facts[run] = told as unknown as Json
      }
      for (const run of known.keys()) if (known.size > KEPT) known.delete(run)
      return { facts }
    },
  }
}

async function readOn(service: Call['service'], run: string, before: Facts): Promise<Facts> {
  const { head } = await service.summary(run)
  if (head.seq === before.seq) return before
  // A run that was imported again may be shorter than before.
  let facts = head.seq < before.seq ? NOTHING : before
  for await (const entry of service.entries(run, { fromSeq: facts.seq + 1 })) facts = added(facts, entry)
  return facts
}

function added(facts: Facts, entry: Entry): Facts {
  const { seq } = entry
  if (isErased(entry)) return { ...facts, seq }
  if (entry.type === 'run-start') return { ...facts, seq, asked: askedIn(entry.data.input) }
  if (entry.type === 'effect-end' || entry.type === 'effect-retry') {
    const { money = 0, estimated } = entry.data.spent ?? {}
    return { ...facts, seq, money: facts.money + money, ...(estimated === true ? { estimated } : {}) }
  }
  if (entry.type === 'run-suspend') return { ...facts, seq, activeMs: entry.data.activeMs }
  if (entry.type === 'run-end') {
    const { activeMs, error } = entry.data
    return { ...facts, seq, activeMs, ...(error === undefined ? {} : { failure: failureOf(error) }) }
  }
  if (entry.type === 'effect-decide' && isDenial(entry.data.decision.verdict)) {
    const { name, decision } = entry.data
    const denial = { seq, at: entry.at, name, rule: decision.rule, reason: decision.reason }
    return { ...facts, seq, denials: [...facts.denials, denial].slice(-DENIALS_MAX) }
  }
  return { ...facts, seq }
}

function failureOf({ code, message }: { readonly code: string; readonly message: string }) {
  return { code, message: message.slice(0, ASKED_MAX) }
}

function isDenial(verdict: string): boolean {
  return verdict === 'deny' || verdict === 'kill'
}

/** Returns the prompt of an agent, the source of a cell or the name of an eval; otherwise the input as text. */
function askedIn(input: Json): string {
  const { source, name } = (input ?? {}) as JsonObject
  const named = [source, name].find((each) => typeof each === 'string')
  return (spoken(input) ?? named ?? inputText(input)).slice(0, ASKED_MAX)
}

function inputText(input: Json): string {
  return typeof input === 'string' ? input : input === null ? '' : JSON.stringify(input)
}
