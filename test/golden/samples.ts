import { canonical, manualClock, seededRandom, sha256 } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { knownValues } from '../../src/redact/index.ts'
import { JournalWriter, exportRun, memoryJournal } from '../../src/journal/index.ts'
import type { EffectRequest, Journal, RunStartData } from '../../src/journal/index.ts'

type Write = (writer: JournalWriter) => void

/** Runs written by hand, so that every type of entry and every odd field of version 1 is somewhere. */
export const SAMPLES: Readonly<Record<string, Write>> = {
  'every-type': everyType,
  'still-waiting': stillWaiting,
  'odd-texts': oddTexts,
  'failed-child': failedChild,
  erased: erased,
}

/** The lines of a sample; the same on every machine. */
export async function makeSample(name: string): Promise<string[]> {
  const journal = memoryJournal()
  const run = `run_golden_${name}`
  await write(journal, run, SAMPLES[name]!)
  if (name === 'erased') await journal.erase(run)
  const lines: string[] = []
  for await (const line of exportRun(journal, run)) lines.push(line)
  return lines
}

async function write(journal: Journal, run: string, compose: Write): Promise<void> {
  const redactor = knownValues()
  redactor.add('GOLDEN_TOKEN', 'golden-token-value')
  const lease = await journal.acquire({ run, owner: 'golden', ttlMs: 1_000, now: 0 })
  const writer = new JournalWriter({ journal, lease, clock: manualClock(1_767_225_600_000, 13), random: seededRandom(run), redactor })
  compose(writer)
  await writer.durable()
}

const human = { id: 'ada', roles: ['approver', 'runner'] } as const

function start(given: Partial<RunStartData> = {}): RunStartData {
  return {
    protocol: 1,
    mind: 'agent',
    name: 'release-notes',
    sessionId: 'session_golden',
    input: { prompt: 'Summarise the changes.', history: [], context: null },
    identity: human,
    seed: 'golden',
    depth: 0,
    durability: 'sync',
    budget: { steps: 20, money: 1.5, totalTokens: 10_000 },
    pins: { mandate: sha256('mandate'), mind: { instructions: 'Be brief.', tools: ['http', 'kv'] } },
    ...given,
  }
}

function request(kind: EffectRequest['kind'], name: string, input: EffectRequest['input']): EffectRequest {
  return { kind, name, input, hash: sha256(canonical([kind, name, input])) }
}

const allow = { verdict: 'allow', rule: 'profile:standard', reason: 'reading is allowed', risk: 'read' } as const
const ask = { verdict: 'ask', rule: 'profile:standard', reason: 'writing needs an approval', risk: 'write' } as const

function everyType(writer: JournalWriter): void {
  const model = request('model', 'scripted', { turn: 1 })
  const fetch = request('tool', 'http', { url: 'http://localhost/notes', headers: { authorization: 'golden-token-value' } })
  const store = request('tool', 'kv', { key: 'notes', value: 'text' })
  const remove = request('tool', 'shell', { command: 'rm -rf /' })
  const question = request('question', 'human', { text: 'Which release?' })
  writer.add('run-start', undefined, start())
  writer.add('message-append', 'message:1', { message: { role: 'user', content: 'Summarise the changes.' } })
  writer.add('effect-start', 'turn:1/model', { ...model, decision: allow, reserved: { modelCalls: 1, outputTokens: 512, money: 0.01 }, repeatable: true })
  writer.add('effect-retry', 'turn:1/model', { attempt: 2, reason: 'MODEL_TIMEOUT', waitMs: 250 })
  writer.add('effect-end', 'turn:1/model', { outcome: { status: 'ok', value: { text: '', calls: ['http', 'kv', 'shell'] } }, spent: { modelCalls: 1, inputTokens: 40, outputTokens: 12, totalTokens: 52, money: 0.0004 }, durationMs: 13, meta: { finishReason: 'tool-calls' } })
  writer.add('note', 'turn:1/plan', { name: 'plan', value: [{ type: 'tool', tool: 'http' }] })
  writer.add('effect-start', 'turn:1/tool:1', { ...fetch, decision: allow, reserved: { toolCalls: 1 }, repeatable: false, labels: ['untrusted:web'] })
  writer.add('effect-decide', 'turn:1/tool:2', { ...store, decision: ask })
  writer.add('approval-request', 'turn:1/tool:2', { ...store, reason: 'approval', asked: store.hash, rule: ask.rule, text: ask.reason, risk: 'write', expiresAt: 1_769_817_600_000 })
  writer.add('effect-decide', 'turn:1/tool:3', { ...remove, decision: { verdict: 'deny', rule: 'rules:no-shell', reason: 'no shell here', code: 'DENIED', risk: 'destructive' } })
  writer.add('effect-end', 'turn:1/tool:3', { outcome: { status: 'denied', code: 'DENIED', reason: 'no shell here', rule: 'rules:no-shell' }, spent: {}, durationMs: 0, asked: remove.hash })
  writer.add('effect-end', 'turn:1/tool:1', { outcome: { status: 'ok', value: 'v2 drops the old API', labels: ['untrusted:web'] }, spent: { toolCalls: 1, outputBytes: 20 }, durationMs: 5 })
  writer.add('run-suspend', undefined, { reason: 'approval', pending: [{ key: 'turn:1/tool:2', reason: 'approval', approvalId: 'run_golden.9' }], wakeAt: 1_769_817_600_000, activeMs: 120 })
  writer.add('run-resume', undefined, { epoch: 2 })
  writer.add('approval-response', 'turn:1/tool:2', { request: 9, answer: 'approve', by: human, scope: 'run', edit: { key: 'notes', value: 'edited' }, standing: { tool: 'kv', input: { key: 'notes' }, riskMax: 'write', expiresAt: 1_769_817_600_000 } })
  writer.add('effect-start', 'turn:1/tool:2', { ...request('tool', 'kv', { key: 'notes', value: 'edited' }), asked: store.hash, decision: { ...ask, verdict: 'allow' }, reserved: { toolCalls: 1 }, repeatable: false })
  writer.add('effect-end', 'turn:1/tool:2', { outcome: { status: 'failed', error: { code: 'TOOL_FAILED', message: 'no room', info: { left: 0 } } }, spent: { toolCalls: 1 }, durationMs: 2 })
  writer.add('approval-request', 'turn:2/question', { ...question, reason: 'question', asked: question.hash, rule: 'question', text: 'Which release?', expiresAt: 1_769_817_600_000 })
  writer.add('approval-response', 'turn:2/question', { request: 18, answer: 'answer', by: human, value: 'v2', text: 'the newest' })
  writer.add('effect-end', 'turn:2/question', { outcome: { status: 'ok', value: 'v2' }, spent: {}, durationMs: 0, asked: question.hash })
  writer.add('run-end', undefined, { state: 'completed', output: { text: 'v2 drops the old API.' }, activeMs: 180, spent: { steps: 2, modelCalls: 1, toolCalls: 2, money: 0.0004 } })
}

/** A crash in the middle: one effect in doubt, one retried, a standing question, nothing ended. */
function stillWaiting(writer: JournalWriter): void {
  const send = request('tool', 'mail', { to: 'all' })
  writer.add('run-start', undefined, start({ mind: 'program', durability: 'batch', budget: {} }))
  writer.add('effect-start', 'step:1', { ...send, decision: allow, reserved: { toolCalls: 1 }, repeatable: false })
  writer.add('run-resume', undefined, { epoch: 2 })
  writer.add('approval-request', 'step:1', { ...send, reason: 'in-doubt', asked: send.hash, rule: 'in-doubt', text: 'Was the mail sent?', expiresAt: 1_769_817_600_000 })
  writer.add('run-suspend', undefined, { reason: 'in-doubt', pending: [{ key: 'step:1', reason: 'in-doubt', approvalId: 'x.4' }, { key: 'child', reason: 'timer', run: 'run_child', wakeAt: 1_767_225_700_000 }], wakeAt: 1_767_225_700_000, activeMs: 3 })
}

/** Whatever JSON can say, in keys and in data. */
function oddTexts(writer: JournalWriter): void {
  const odd = JSON.parse('{"__proto__":{"a":1},"":0,"é":"🙂","lone":"\\ud800","nul":"\\u0000","big":1e21,"small":5e-324,"zero":-0,"deep":[[[[[]]]]]}') as Json
  writer.add('run-start', undefined, start({ mind: 'cell', name: 'n\u00e4me', input: null, pins: null }))
  writer.add('note', 'cell:1/t2/7 "quoted" \ud83d', { name: 'odd', value: odd })
  writer.add('run-end', undefined, { state: 'cancelled', error: { code: 'CANCELLED', message: 'stopped by Ada' }, activeMs: 1, spent: {} })
}

/** A child that is a fork as well, with an effect whose outcome nobody knows. */
function failedChild(writer: JournalWriter): void {
  const pay = request('tool', 'pay', { amount: 5 })
  writer.add('run-start', undefined, start({ mind: 'graph', depth: 1, allotted: true, durability: 'exit', parent: { run: 'run_parent', key: 'turn:3/agent' }, forkOf: { run: 'run_first', seq: 12, hash: sha256('fork') } }))
  writer.add('effect-start', 'node:pay:1', { ...pay, decision: allow, reserved: {}, repeatable: false })
  writer.add('effect-end', 'node:pay:1', { outcome: { status: 'unknown', reason: 'the machine went down' }, spent: {}, durationMs: 0 })
  writer.add('effect-end', 'node:wait:1', { outcome: { status: 'cancelled', reason: 'the run failed' }, spent: {}, durationMs: 0, asked: pay.hash })
  writer.add('run-end', undefined, { state: 'failed', error: { code: 'OUTCOME_UNKNOWN', message: 'Nobody could say whether it was paid.' }, activeMs: 1, spent: { toolCalls: 1 } })
}

/** What retention leaves. */
function erased(writer: JournalWriter): void {
  writer.add('run-start', undefined, start())
  writer.add('note', 'turn:1/plan', { name: 'plan', value: 'gone' })
  writer.add('run-end', undefined, { state: 'completed', output: null, activeMs: 1, spent: {} })
}
