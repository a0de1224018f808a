import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { Intent } from '../effect.ts'
import { shown } from '../rules/targets.ts'

/** The declared intents of a reply, and the blocks that could not be parsed, with reasons. */
export interface ParsedIntents {
  readonly intents: readonly Intent[]
  readonly problems: readonly IntentProblem[]
}

interface IntentProblem {
  /** The tool that the block seems to be about. */
  readonly toolName?: string | undefined
  readonly problem: string
}

/** A call with the intent that covers it, or with the reason why there is none. */
export interface MatchedIntent {
  readonly intent?: Intent | undefined
  readonly intentProblem?: string | undefined
}

const OPEN = '<intent>'
const CLOSE = '</intent>'
const TEXTS = ['toolName', 'purpose', 'expectedOutcome'] as const
/** A reply with more blocks than this is not parsed. */
const BLOCKS_MAX = 64
const BLOCK_LENGTH_MAX = 8_192

/** The paragraph of the system prompt where intents are required. */
export const INTENT_INSTRUCTIONS: string = [
  'Before you call a tool, declare what you intend, in the same message as the call and once for every call:',
  '<intent>{"toolName": "<the tool>", "purpose": "<why>", "expectedOutcome": "<what you expect>", "riskLevel": "read"}</intent>',
  'riskLevel is one of: read (changes nothing), write (changes data), exec (runs something), destructive (cannot be undone).',
  'Two calls of one tool need two intents. A call without its own intent is not carried out.',
].join('\n')

/** The same for a model that acts by writing code. */
export const CODE_INTENT_INSTRUCTIONS: string = [
  'Above each cell, outside of its block, declare what you intend, once for every name that the cell calls:',
  '<intent>{"toolName": "<the tool, agent, graph or function>", "purpose": "<why>", "expectedOutcome": "<what you expect>", "riskLevel": "read"}</intent>',
  'riskLevel is one of: read (changes nothing), write (changes data), exec (runs something), destructive (cannot be undone).',
  'An intent covers all calls of that name in the cell of the same reply. A call of a name without one is not carried out.',
].join('\n')

/** Parses the intents that a model declared in its reply. A malformed block is reported, never repaired. */
export function parseIntents(text: string): ParsedIntents {
  const intents: Intent[] = []
  const problems: IntentProblem[] = []
  let at = text.indexOf(OPEN)
  while (at >= 0) {
    if (intents.length + problems.length >= BLOCKS_MAX) {
      problems.push({ problem: `Only the first ${BLOCKS_MAX} intents of a reply are read.` })
      break
    }
    const end = text.indexOf(CLOSE, at)
    const read = end < 0 ? problem('It is not closed with </intent>.') : readBlock(text.slice(at + OPEN.length, end))
    if ('problem' in read) problems.push(read)
    else intents.push(read)
    at = end < 0 ? -1 : text.indexOf(OPEN, end)
  }
  return { intents, problems }
}

/** Assigns intents to calls. Each intent covers one call of its tool, in the order of both; surplus intents cover nothing. */
export function matchIntents({ intents, problems }: ParsedIntents, tools: readonly string[]): readonly MatchedIntent[] {
  const open = new Map<string, Intent[]>()
  for (const intent of intents) {
    const same = open.get(intent.toolName)
    if (same === undefined) open.set(intent.toolName, [intent])
    else same.push(intent)
  }
  return tools.map((tool): MatchedIntent => {
    const intent = open.get(tool)?.shift()
    return intent === undefined ? whyNone(problems, tool) : { intent }
  })
}

/** Looks up the intent that covers calls of a name in code. */
export type IntentLookup = (name: string) => MatchedIntent

/** Indexes the intents of code, which declares once for all calls of a name. Of several intents for one name, the one of the highest risk counts. */
export function intentsOfCode({ intents, problems }: ParsedIntents): IntentLookup {
  const byName = new Map<string, Intent>()
  for (const intent of intents) {
    const before = byName.get(intent.toolName)
    if (before === undefined || RISKS.indexOf(intent.riskLevel) > RISKS.indexOf(before.riskLevel))
      byName.set(intent.toolName, intent)
  }
  return (name) => {
    const intent = byName.get(name)
    return intent === undefined ? whyNone(problems, name) : { intent }
  }
}

function whyNone(problems: readonly IntentProblem[], name: string): MatchedIntent {
  const about =
    problems.find(({ toolName }) => toolName === name) ?? problems.find(({ toolName }) => toolName === undefined)
  return about === undefined ? {} : { intentProblem: about.problem }
}

/** Intents that were declared as data. */
export function readIntents(values: readonly unknown[]): ParsedIntents {
  const read = values.map(readIntent)
  return {
    intents: read.filter((one) => !('problem' in one)) as readonly Intent[],
    problems: read.filter((one) => 'problem' in one),
  }
}

/** Validates one intent; anything malformed is a problem. */
export function readIntent(value: unknown): Intent | IntentProblem {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return problem('It must hold one JSON object.')
  const toolName = ownText(value, 'toolName')
  const purpose = ownText(value, 'purpose')
  const expectedOutcome = ownText(value, 'expectedOutcome')
  if (!hasText(toolName) || !hasText(purpose) || !hasText(expectedOutcome)) {
    const missing = TEXTS.find((name) => !hasText(ownText(value, name)))
    return problem(`\`${missing}\` must be a text.`, toolName)
  }
  const riskLevel = Object.hasOwn(value, 'riskLevel') ? (value as { riskLevel: unknown }).riskLevel : undefined
  if (!RISKS.includes(riskLevel as Risk))
    return problem(`\`riskLevel\` is ${shown(riskLevel)}. Use one of: ${RISKS.join(', ')}.`, toolName)
  return { toolName, purpose, expectedOutcome, riskLevel: riskLevel as Risk }
}

/** Only own properties: inherited ones were not declared. */
function ownText(value: object, field: string): string | undefined {
  const given = Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined
  return typeof given === 'string' ? given : undefined
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

function readBlock(body: string): Intent | IntentProblem {
  if (body.length > BLOCK_LENGTH_MAX) return problem(`It is longer than ${BLOCK_LENGTH_MAX} characters.`)
  let value: unknown
  try {
    value = JSON.parse(body.trim())
  } catch {
    return problem('It is not valid JSON.', /"toolName"\s*:\s*"([^"\\]*)"/.exec(body)?.[1])
  }
  return readIntent(value)
}

function problem(text: string, toolName?: string): IntentProblem {
  return { ...(toolName === undefined ? {} : { toolName }), problem: text }
}
