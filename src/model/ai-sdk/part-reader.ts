import { type Json, type JsonObject, MandateError, toPlain } from '../../core/index.ts'
import type { ProviderMetadata } from '../message.ts'
import type { ModelPart, ModelRequest } from '../model.ts'
import { parseToolInput } from '../reply.ts'
import { endingOf, usageOf, warningText } from './accounts.ts'
import { receivedFile } from './file-data.ts'
import { hostMark } from './host-mark.ts'
import type { WirePart } from './spec.ts'

interface ReaderSetup {
  /** For messages. */
  readonly id: string
  readonly provider: string
  readonly request: ModelRequest
  readonly acceptUnfinished: boolean
  /** The tool's own name, by the name under which the provider knows it. */
  readonly nameOf: (sent: string) => string
}

const NONE: readonly ModelPart[] = []

/** Converts the parts of one answer. Its state is only what spans several parts. */
export class PartReader {
  readonly #setup: ReaderSetup
  /** Maps the provider's ids of open blocks to unique ids: providers reuse an id once its block has ended. */
  readonly #blocks = new Map<string, string>()
  readonly #openInputs = new Set<string>()
  #blockCount = 0
  #response: JsonObject | undefined
  #isTold = false
  #hasContent = false

  constructor(setup: ReaderSetup) {
    this.#setup = setup
  }

  /** Converts a part: usually to one part, sometimes to none or several. An `error` part is thrown. */
  read(given: WirePart): readonly ModelPart[] {
    const { toolName } = given
    const part = toolName === undefined ? given : { ...given, toolName: this.#setup.nameOf(toolName) }
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#blocks.set(blockKey(part), `${part.id}:${this.#blockCount++}`)
        return this.#delta(part, '')
      case 'text-delta':
      case 'reasoning-delta':
        return this.#delta(part, part.delta ?? '')
      case 'text-end':
      case 'reasoning-end':
        return [...this.#delta(part, ''), ...citationsOf(part)]
      case 'tool-input-start':
        this.#openInputs.add(part.id ?? '')
        return [ephemeral(part)]
      case 'stream-start':
        return (part.warnings ?? []).map((warning) => ({ type: 'warning', message: warningText(warning) }))
      case 'response-metadata':
        this.#response = { ...this.#response, ...responseOf(part) }
        return NONE
      case 'finish':
        return this.#finish(part)
      case 'error':
        throw part.error
      case 'ping':
      case 'raw':
        return NONE
      case 'tool-input-delta':
      case 'tool-input-end':
        return [ephemeral(part)]
      default:
        this.#openInputs.delete(part.toolCallId ?? '')
        this.#hasContent = true
        return readWhole(part, this.#setup.provider)
    }
  }

  /** Called after the last part: an answer without a finish reason is not acted upon. */
  end(): readonly ModelPart[] {
    if (this.#isTold) return NONE
    const { id, acceptUnfinished } = this.#setup
    if (acceptUnfinished && this.#hasContent && this.#openInputs.size === 0) {
      return [{ type: 'warning', message: 'The model ended its answer without saying why; it may be cut.' }]
    }
    const what = this.#hasContent ? 'ended its answer without saying why, so it may be cut' : 'ended without an answer'
    const fix = this.#hasContent ? ' If it never says why, set `acceptUnfinished`.' : ''
    throw new MandateError('MODEL_FAILED', `${id} ${what}.${fix}`, { info: { retriable: true } })
  }

  #delta(part: WirePart, text: string): readonly ModelPart[] {
    const providerMetadata = metadataOf(part)
    if (text === '' && providerMetadata === undefined) return NONE
    this.#hasContent = true
    return [
      {
        type: isText(part) ? 'text-delta' : 'reasoning-delta',
        text,
        id: this.#blocks.get(blockKey(part)) ?? `${part.id}:`,
        ...(providerMetadata === undefined ? {} : { providerMetadata }),
      },
    ]
  }

  #finish(part: WirePart): readonly ModelPart[] {
    const { id, provider, request } = this.#setup
    const { reason, raw, isTold } = endingOf(part.finishReason)
    if (reason === 'error') {
      const why = raw === undefined ? '' : ` (${raw})`
      throw new MandateError('MODEL_FAILED', `${id} broke its answer off with an error${why}.`, {
        info: { retriable: true },
      })
    }
    this.#isTold ||= isTold
    const usage = usageOf(part.usage, request, provider)
    const metadata = metadataOf(part)
    const response = this.#response
    const providerMetadata = response === undefined ? metadata : { ...metadata, response }
    return [
      ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
      {
        type: 'finish',
        reason,
        ...(raw === undefined ? {} : { raw }),
        ...(providerMetadata === undefined ? {} : { providerMetadata }),
      },
    ]
  }
}

function isText({ type }: WirePart): boolean {
  return type.startsWith('text')
}

function blockKey(part: WirePart): string {
  return `${isText(part) ? 'text' : 'reasoning'}:${part.id}`
}

/** Parts that are complete by themselves, in a stream as in a complete answer. An unknown kind is kept under its own name. */
function readWhole(part: WirePart, provider: string): readonly ModelPart[] {
  const isHosted = part.type === 'tool-result' || part.providerExecuted === true
  const providerMetadata = isHosted ? { ...metadataOf(part), ...hostMark(provider) } : metadataOf(part)
  const carried = providerMetadata === undefined ? {} : { providerMetadata }
  const name = part.toolName ?? ''
  const toolCallId = part.toolCallId ?? ''
  switch (part.type) {
    case 'tool-call': {
      const input =
        typeof part.input === 'string' ? parseToolInput(part.input) : { input: toPlain(part.input ?? {}).value }
      const flag = part.providerExecuted === true ? { providerExecuted: true } : {}
      return [{ type: 'tool-call', toolCallId, name, ...input, ...flag, ...carried }]
    }
    case 'tool-result': {
      // A preliminary result is only for listeners, because the transcript has one result per call.
      if (part.preliminary === true) return [ephemeral(part)]
      const status = part.isError === true ? 'error' : 'ok'
      return [{ type: 'tool-result', toolCallId, name, status, value: toPlain(part.result).value, ...carried }]
    }
    case 'file':
      return [{ type: 'file', mediaType: part.mediaType ?? '', ...receivedFile(part.data), ...carried }]
    case 'reasoning-file': {
      const data = { mediaType: part.mediaType ?? '', ...receivedFile(part.data) }
      return [{ type: 'custom', kind: part.type, data, ...carried }]
    }
    default: {
      const kind = part.type === 'custom' ? (part.kind ?? 'custom') : part.type
      return [{ type: 'custom', kind, data: fieldsOf(part), ...carried }]
    }
  }
}

/** Parts that are only for listeners. */
function ephemeral(part: WirePart): ModelPart {
  return { type: 'custom', kind: part.type, data: fieldsOf(part), ephemeral: true }
}

function citationsOf({ citations }: WirePart): readonly ModelPart[] {
  if (!Array.isArray(citations) || citations.length === 0) return NONE
  return [{ type: 'custom', kind: 'citations', data: toPlain(citations).value }]
}

function fieldsOf(part: WirePart): Json {
  const { type: _type, kind: _kind, providerMetadata: _metadata, ...fields } = part
  return toPlain(fields).value
}

function responseOf({ id, modelId, timestamp }: Partial<WirePart>): JsonObject {
  return {
    ...(id === undefined ? {} : { id }),
    ...(modelId === undefined ? {} : { modelId }),
    ...(timestamp instanceof Date ? { timestamp: timestamp.toISOString() } : {}),
  }
}

export function metadataOf({
  providerMetadata,
}: {
  readonly providerMetadata?: unknown
}): ProviderMetadata | undefined {
  if (typeof providerMetadata !== 'object' || providerMetadata === null) return undefined
  const entries = Object.entries(toPlain(providerMetadata).value as JsonObject)
  const records = entries.filter(
    (entry): entry is [string, JsonObject] => typeof entry[1] === 'object' && entry[1] !== null,
  )
  return records.length === 0 ? undefined : Object.fromEntries(records)
}
