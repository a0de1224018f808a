import { readFileSync } from 'node:fs'
import { AgentService, explainCall, kernelOf } from '../../agent/index.ts'
import type { Governed } from '../../agent/index.ts'
import { installedModels } from '../../connect/index.ts'
import { MandateError, allLabels, messageOf } from '../../core/index.ts'
import type { BudgetLimits } from '../../core/index.ts'
import { Budget, definePolicy, nameFindings } from '../../gate/index.ts'
import type { Explanation, NameFinding, Policy } from '../../gate/index.ts'
import { knownTargets } from '../../run/index.ts'
import { readAll } from '../../journal/index.ts'
import type { EffectRequest, Entry } from '../../journal/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { withJournal } from '../host.ts'
import { loadService } from '../load-module.ts'
import { typedRun } from '../typed-ids.ts'
import { block, hanging } from '../terminal/layout.ts'
import { clip, note, print } from '../output.ts'
import { chooseAction, need, readJson } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'

const USAGE = usageOf('policy')

/** Shows what the gate would decide about a call, or why it decided as it did. */
export const policyCommand: Command = {
  run(flags, words) {
    const work = chooseAction(ACTIONS, { command: 'policy', usage: USAGE }, words)
    return work(flags, need(words, 1, USAGE), need(words, 2, USAGE))
  },
}

const ACTIONS = { test: testPolicy, explain: explainEntry }

async function testPolicy(flags: Flags, file: string, name: string): Promise<number> {
  const { findings, ...governed } = file.endsWith('.json') ? readPolicy(file, name) : await readAgent(file, name)
  const input = readJson(flags.input ?? '{}', '--input')
  const labels = flags.labels?.split(',') ?? []
  const { left, ...explanation } = await explainCall(governed, { name, input, labels })
  if (governed.others === undefined)
    note(
      'The file has no tools, so the risk is inferred from the name and the input. Declare it under `risks`, or give the file of an agent.',
    )
  for (const finding of findings) note(finding)
  print(flags, { ...explanation, left }, () => [described(explanation), ...block(leftText(left), '')].join('\n'))
  return explanation.decision.verdict === 'deny' || explanation.decision.verdict === 'kill' ? EXIT.denied : EXIT.ok
}

/** What a call is judged by, and the names in the mandates that nothing has. */
type Read = Governed & { readonly findings: readonly string[] }

/** A file of a policy alone has no tools to compare its names with, but the call that is tested. */
function readPolicy(file: string, name: string): Read {
  try {
    const mandate = definePolicy(JSON.parse(readFileSync(file, 'utf8')) as Policy)
    const known = { tools: new Map([[name, {}]]), others: {} }
    const findings = nameFindings(mandate, known).filter(({ isSlip }) => isSlip)
    return { mandates: [mandate], known: true, findings: findings.map(told) }
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `${file} is not a policy: ${messageOf(cause)}`, { cause })
  }
}

function told({ field, message }: NameFinding): string {
  return `\`mandate.${field}\` ${message}`
}

async function readAgent(file: string, name: string): Promise<Read> {
  const { loaded } = await loadService(file)
  const service = new AgentService({ ...loaded, modelSources: loaded.modelSources ?? installedModels() })
  const specs = (await service.health()).agents.map((id) => service.agent(id))
  // If there are several agents, the one that has the tool.
  const spec = specs.find((one) => one.tools.some((tool) => tool.name === name)) ?? specs[0]
  const { mandate, tools } = spec ?? { mandate: {}, tools: [] }
  const { registry } = kernelOf(service)
  const tool = tools.find((one) => one.name === name) ?? registry.tools.get(name)
  const known = knownTargets(registry)
  const mandates = loaded.mandate === undefined ? [mandate] : [mandate, loaded.mandate]
  await service.stop()
  return {
    mandates,
    findings: mandates.flatMap((one) => nameFindings(one, known)).map(told),
    tool,
    known: tool !== undefined,
    others: tools.map((one) => one.name),
    filters: registry.filters,
  }
}

function described({ decision, opinions, risk }: Explanation): string {
  const said = opinions.filter(({ verdict }) => verdict !== 'silent')
  const guards = said.flatMap(({ guard, level, verdict, rule = '', reason = '' }) => {
    const from = level === 0 ? 'own mandate' : `mandate ${level} above`
    return [
      `  ${verdict}  ${rule === '' ? guard : `${guard}/${rule}`}  (${from})`,
      ...block(clip(reason, 600), '      '),
    ]
  })
  return [
    ...block(`${decision.verdict}  ${decision.rule}  (risk ${decision.risk}: ${risk.why})`, ''),
    ...block(decision.reason, ''),
    ...(risk.review === undefined ? [] : block(risk.review, '')),
    ...(guards.length === 0 ? [] : ['', 'Verdicts of the guards:', ...guards]),
  ].join('\n')
}

async function explainEntry(flags: Flags, run: string, seq: string): Promise<number> {
  const entries = await withJournal(flags, async (journal) => readAll(journal, await typedRun(journal, run)))
  const entry = entries.find((one) => String(one.seq) === seq)
  if (entry === undefined)
    throw new MandateError('NOT_FOUND', `Run "${run}" has entries 1 to ${entries.length}; "${seq}" is not one of them.`)
  const about = entries.filter(({ key }) => key !== undefined && key === entry.key)
  const lines = [...about.flatMap(linesOf), ...leftAt(entries, about[0]?.seq ?? entry.seq)]
  print(flags, about, () =>
    about.length === 0
      ? `Entry ${seq} (${entry.type}) was not a decision of the gate. Give the number of an effect.`
      : lines.join('\n'),
  )
  return EXIT.ok
}

/** Returns the remaining budget of the run at the time of a decision. */
function leftAt(entries: readonly Entry[], seq: number): readonly string[] {
  const [first] = entries
  const limits = first?.type === 'run-start' ? (first.data?.budget ?? {}) : {}
  if (Object.keys(limits).length === 0) return []
  const budget = new Budget(limits)
  for (const { type, data, seq: at } of entries)
    if (at < seq && (type === 'effect-end' || type === 'effect-retry')) budget.add(data?.spent ?? {})
  return block(leftText(budget.remaining()), '')
}

function leftText(left: BudgetLimits): string {
  const amounts = Object.entries(left).map(([unit, amount]) => `${unit} ${amount}`)
  return amounts.length === 0 ? 'Remaining budget: no limit.' : `Remaining budget: ${amounts.join(', ')}.`
}

/** Describes how the effect of one entry was decided. */
function linesOf({ seq, type, data, key = '' }: Entry): readonly string[] {
  const place = `${String(seq).padStart(5)}  ${key}  `
  if (data === null) return [`${place}${type} (erased)`]
  switch (type) {
    case 'effect-decide':
    case 'effect-start': {
      const { verdict, rule, reason, risk } = data.decision
      const intent = type === 'effect-start' ? data.intent : undefined
      const meant = intent === undefined ? [] : block(`declared: ${clip(intent, 200)}`, BELOW)
      const by = block(`${verdict} by ${rule}${risk === undefined ? '' : ` (risk ${risk})`}: ${reason}`, BELOW)
      return [hanging(place, callText(data)), ...meant, ...madeFrom(data), ...by]
    }
    case 'approval-request':
      return [hanging(place, callText(data)), ...madeFrom(data), ...block(`ask by ${data.rule}: ${data.text}`, BELOW)]
    case 'approval-response': {
      const { answer, by, scope = 'once' } = data
      return [`${BELOW}${answer} by ${by.id}, ${scope}`]
    }
    default:
      return []
  }
}

/** Indentation of the text about a call. */
const BELOW = '       '

function callText({ kind, name, input }: EffectRequest): string {
  return `${kind} ${name} ${clip(input, 120)}`
}

function madeFrom({ labels }: EffectRequest): readonly string[] {
  return labels === undefined ? [] : block(`made from: ${allLabels(labels).join(', ')}`, BELOW)
}
