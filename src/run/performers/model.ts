import type { Json } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import type { Spend } from '../../journal/index.ts'
import {
  capabilitiesOf,
  collectReply,
  costOf,
  defaultOutputTokens,
  estimateRequest,
  priceFor,
  unfinishedUsage,
  worstCase,
} from '../../model/index.ts'
import type { Model, ModelPart, ModelReply, ModelRequest, TokenUsage } from '../../model/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import type { KernelCut, KernelCall, Performed, KernelPerformer } from './performer.ts'
import { findJudge, findModel, findable } from '../kernel/registry.ts'
import { standInsOf } from './stand-ins.ts'
import { withFiles } from '../files/request-files.ts'
import { hidesIntents } from './heard-texts.ts'
import { ShownText } from './shown-text.ts'
import { intentFilter } from '../../gate/index.ts'
import { retryModel } from './retry-policy.ts'

/** Performs model calls. The reply is folded from the stream, so listeners see the same text that is recorded. */
export const modelPerformer: KernelPerformer = {
  kind: 'model',
  facts(effect, run) {
    const model = modelOf(effect, run)
    if (model === undefined)
      return { known: false, alternatives: findable('models', run.resources, run.host.registry), worst: {} }
    const price = priceFor(run.host.prices, model)
    return {
      known: true,
      risk: 'read',
      worst: worstOf(effect, run, model),
      ...(price === undefined ? { unpriced: model.id } : {}),
    }
  },
  // A model call changes nothing outside; after a crash it may cost its price a second time.
  repeatable: () => true,
  timeoutMs: (_effect, run) => run.limits.modelTimeoutMs,
  perform: performModel,
  unfinished: unfinishedSpend,
  retry: (error, attempt, call) => retryModel(error, attempt, call),
}

/** The model that an effect names; for the question of an overseer, also one that its mandate alone may name. */
function modelOf({ name, origin }: Effect, { resources, host, mandates }: ActiveRun): Model | undefined {
  const found = findModel(resources, host.registry, name)
  return found ?? (origin === 'overseer' ? findJudge(host.registry, mandates, name) : undefined)
}

function requestOf(effect: Effect, input: Json): ModelRequest {
  return (effect.carry ?? input) as ModelRequest
}

/** The worst case of a call. Tokens are estimated from the whole transcript only if a budget limits them. */
function worstOf(effect: Effect, run: ActiveRun, model: Model): Spend {
  const { budget } = run
  const isLimited =
    budget.isLimited('inputTokens') ||
    budget.isLimited('outputTokens') ||
    budget.isLimited('totalTokens') ||
    budget.isLimited('money')
  return isLimited ? wholeWorst(effect, run, model) : { modelCalls: 1 }
}

function wholeWorst(effect: Effect, run: ActiveRun, model: Model): Spend {
  const request = requestOf(effect, effect.input)
  const output = request.maxOutputTokens ?? unboundedOutput(model, run)
  return { modelCalls: 1, ...worstCase(estimateRequest(request), output, priceFor(run.host.prices, model)) }
}

/** The output limit of a model without `maxTokens`. */
function unboundedOutput(model: Model, { host }: ActiveRun): number {
  return capabilitiesOf(model, host.prices).maxOutputTokens ?? defaultOutputTokens(model, host.prices)
}

/** The parts received so far in each call under way: the spend of an aborted call is computed from them. */
const streamed = new WeakMap<KernelCall, ModelPart[]>()

function unfinishedSpend(effect: Effect, run: ActiveRun, cut?: KernelCut): Spend {
  const model = modelOf(effect, run)
  if (model === undefined) return { modelCalls: 1 }
  const request = requestOf(effect, cut?.call.input ?? effect.input)
  const usage = cut && unfinishedUsage(streamed.get(cut.call) ?? [], request, cut.error)
  return usage === undefined ? { ...wholeWorst(effect, run, model), estimated: true } : spendOf(usage, run, model)
}

function spendOf(usage: TokenUsage, run: ActiveRun, model: Model): Spend {
  const money = costOf(usage, priceFor(run.host.prices, model))
  const { inputTokens, outputTokens, totalTokens, estimated } = usage
  // In canonical order, so that they need not be sorted.
  return {
    ...(estimated === true ? { estimated } : {}),
    inputTokens,
    modelCalls: 1,
    ...(money === undefined ? {} : { money }),
    outputTokens,
    totalTokens,
  }
}

async function performModel(call: KernelCall): Promise<Performed> {
  const { run, effect } = call
  const named = modelOf(effect, run)!
  const model = standInsOf(run)?.model(named) ?? named
  const { signal, attempt, idempotencyKey } = call
  const context = { signal, attempt, idempotencyKey }
  const asked = requestOf(effect, call.input)
  const filled = withFiles(run.host.journal, run.id, asked)
  const parts = model.stream(filled instanceof Promise ? await filled : filled, context)
  // Runs of earlier releases pin that they show intents.
  const hiding = hidesIntents(run.start.pins) ? intentFilter : undefined
  const shown = new ShownText(call, hiding)
  const seen: ModelPart[] = []
  streamed.set(call, seen)
  const onPart = (part: ModelPart): unknown => (seen.push(part), shown.show(part))
  const reply = await collectReply(parts, onPart, asked)
  shown.end()
  return {
    value: reply satisfies ModelReply,
    spent: spendOf(reply.usage, run, model),
    meta: { attempt, model: model.id, provider: model.provider },
  }
}
