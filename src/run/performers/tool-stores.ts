import { MandateError, allLabels, joinLabels, nameProblem } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Json, Label, Outcome } from '../../core/index.ts'
import type { Effect, EffectFacts } from '../../gate/index.ts'
import { unpackLabels, vectorFrom } from '../../memory/index.ts'
import type { MemoryClient, MemoryReadOptions } from '../../memory/index.ts'
import type { EmbeddingModel } from '../../model/index.ts'
import type { Risk, ToolEmbed, ToolMemory, ToolWrite } from '../../tool/index.ts'
import { callOver, performWithin } from '../nested/nested-effects.ts'
import type { KernelCall, KernelPerformer } from './performer.ts'
import { storeSpend } from './data.ts'
import { embedPerformerFor } from './embed.ts'
import type { Embedded } from './embed.ts'
import { performerFor } from '../kernel/performer-table.ts'

/**
 * The store writes and embeddings of one attempt of a tool call. Each is an effect below the key of the call: it passes the gate, is journaled,
 * counts in the budget, and carries the labels of the call's input and of what it has read so far.
 */
export class ToolStores {
  readonly #call: KernelCall
  /** The labels of the tool, and those it has added to its result so far. */
  readonly #labels: () => readonly (readonly Label[] | undefined)[]
  readonly #claimed = new Set<string>()
  readonly #pending = new Set<Promise<unknown>>()
  #isOver = false

  constructor(call: KernelCall, labels: () => readonly (readonly Label[] | undefined)[]) {
    this.#call = call
    this.#labels = labels
  }

  /** The memory of the run, as exposed to the tool. */
  memory(client: MemoryClient, added: (readonly Label[])[]): ToolMemory {
    return {
      append: async (stream, entry) => {
        const { registry } = this.#call.run.host
        const performer = async (): Promise<KernelPerformer> => {
          return performerFor(registry, 'memory')
        }
        await this.#within({ kind: 'memory', name: 'memory', input: { op: 'append', stream, entry } }, performer)
      },
      read: async (stream, options = {}) => readFor(client, added, streamKey(stream), options),
    }
  }

  /** Writes to a store of the tool's own. */
  async write(write: ToolWrite): Promise<Json> {
    const { kind, input } = write
    const name = kind === 'memory' ? 'memory' : this.#call.effect.name
    return this.#within({ kind, name, input }, () => performerOf(write))
  }

  /** Embeds texts with a model of the tool's own. The vectors are recorded, so an attempt after a crash reuses them. */
  async embed({ model, values }: ToolEmbed): Promise<readonly (readonly number[])[]> {
    const performer = embedPerformerFor(() => model as EmbeddingModel)
    const within = { kind: 'embed', name: model.id, input: { values: [...values] } } as const
    const { vectors } = (await this.#within(within, () => performer)) as unknown as Embedded
    return vectors.map((text) => Array.from(vectorFrom(text)))
  }

  /** Waits for the writes of the call, including those that the tool did not await; later writes are refused. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending])
    this.#isOver = true
  }

  #within(
    own: Pick<Effect, 'kind' | 'name' | 'input'>,
    performer: () => KernelPerformer | Promise<KernelPerformer>,
  ): Promise<Json> {
    const written = this.#perform(own, performer)
    this.#pending.add(written)
    const forget = (): void => void this.#pending.delete(written)
    written.then(forget, forget)
    return written
  }

  async #perform(
    given: Pick<Effect, 'kind' | 'name' | 'input'>,
    performer: () => KernelPerformer | Promise<KernelPerformer>,
  ): Promise<Json> {
    if (this.#isOver) throw callOver()
    const { effect } = this.#call
    const labels = joinLabels(allLabels(effect.labels), ...this.#labels())
    const own = { ...given, labels, origin: 'tool' }
    return valueOf(await performWithin(this.#call, own, this.#decided(await performer()), this.#claimed))
  }

  /** The profile has decided the risk of the call, and with it that of its writes. */
  #decided(performer: KernelPerformer): KernelPerformer {
    const { run, key } = this.#call
    const decidedRisk = run.fold.effects.get(key)?.start?.data.decision.risk as Risk | undefined
    return {
      ...performer,
      facts: (effect, of): EffectFacts => ({ ...performer.facts(effect, of), decidedRisk }),
    }
  }
}

/** The performer of a write that the tool implements. It has no timeout of its own: the call has one. */
function performerOf(write: ToolWrite): KernelPerformer {
  return {
    kind: write.kind,
    facts: (_effect, run) => ({ known: true, risk: 'write', worst: storeSpend(true, run) ?? {} }),
    repeatable: () => write.idempotent === true,
    timeoutMs: () => undefined,
    async perform({ run, input }) {
      const spent = storeSpend(true, run)
      if (run.resources.memoryPolicy?.dryRun === true) return { value: null, spent, meta: { dryRun: true } }
      // Data kept for later runs is redacted like the journal.
      const kept = redactJson(input, run.redactor) as ToolWrite['input']
      return { value: (await write.perform(kept)) ?? null, spent }
    },
  }
}

function valueOf(outcome: Outcome<Json>): Json {
  switch (outcome.status) {
    case 'ok':
      return outcome.value
    case 'denied':
      throw new MandateError(outcome.code, `What the tool wanted to do was refused: ${outcome.reason}`)
    case 'failed':
      throw new MandateError(outcome.error.code, outcome.error.message, { info: outcome.error.info })
    case 'cancelled':
      throw new MandateError('CANCELLED', outcome.reason)
    case 'unknown':
      throw new MandateError('TOOL_FAILED', `It is unknown whether it was done: ${outcome.reason}`)
  }
}

/** Reads from the memory of the run, and adds the labels of what was read to the result. */
async function readFor(
  memory: MemoryClient,
  added: (readonly Label[])[],
  stream: string,
  options: MemoryReadOptions,
): Promise<readonly Json[]> {
  const entries = (await memory.read(stream, options)).map(unpackLabels)
  added.push(memory.labels ?? [], ...entries.map(({ labels }) => labels))
  return entries.map(({ value }) => value)
}

/** A tool's read is not an effect, so its stream key is checked here. */
function streamKey(given: unknown): string {
  const problem = nameProblem(given, 4_096)
  if (problem === undefined) return given as string
  throw new MandateError('INPUT_INVALID', `The stream key ${problem}.`)
}
