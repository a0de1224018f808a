import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { announceSkip } from '../rotation.ts'
import { root } from '../tidy/sources.ts'
import { type Answer, events, json } from './loopback.ts'
import { at, numberAt } from './raw-json.ts'
import { type WireName, wires } from './wires.ts'

const folder = join(root, '../shared/recordings')

/** Bytes that a provider once sent. */
export interface Recording {
  readonly name: string
  readonly wire: WireName
  readonly isWhole: boolean
  /** The payloads that are JSON, parsed. */
  readonly payloads: readonly unknown[]
  /** A payload was cut, so the stream is broken. */
  readonly isBroken: boolean
  /** The provider refused: an error body or an error in the stream. */
  readonly isError: boolean
  /** Plays it from a loopback server. */
  readonly answer: Answer
}

/** Every recording, or none with one loud line where the folder is not there. */
export function readRecordings(): readonly Recording[] {
  if (!existsSync(folder)) {
    announceSkip('recorded answers of real providers', 'put the recordings into ../shared/recordings')
    return []
  }
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => readRecording(name, file)))
}

function readRecording(provider: string, file: string): Recording {
  const text = readFileSync(join(folder, provider, file), 'utf8')
  const isWhole = file.endsWith('.json')
  const isEvents = file.endsWith('.sse')
  const lines = isEvents
    ? [...text.matchAll(/^data: (\{.*\})$/gm)].map((found) => found[1]!)
    : text.split('\n').filter((line) => line.trim() !== '')
  const parsed = isWhole ? [JSON.parse(text) as unknown] : lines.map(tryParse)
  const payloads = parsed.filter((one) => one !== undefined)
  const wire = wireOf(provider, payloads)
  const isError = payloads.some((one) => at(one, 'type') === 'error' || (isWhole && at(one, 'error') != null))
  const isBroken = payloads.length < parsed.length || file.startsWith('spliced-')
  const status = numberAt(payloads[0], 'error.code') || 400
  const answer = isWhole ? json(text, isError ? status : 200) : events(isEvents ? text : wires[wire].stream(lines))
  return { name: `${provider}/${file}`, wire, isWhole, payloads, isBroken, isError, answer }
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

function wireOf(provider: string, payloads: readonly unknown[]): WireName {
  const has = (key: string): boolean => payloads.some((one) => at(one, key) !== undefined)
  switch (provider) {
    case 'anthropic':
    case 'deepseek':
      return provider
    case 'openai-compatible':
      return 'compatible'
    case 'google':
      return has('candidates') || has('error') ? 'google' : 'interactions'
    default:
      return has('choices') ? 'chat' : 'responses'
  }
}
