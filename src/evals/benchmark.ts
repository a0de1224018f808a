import type { AgentConfig } from '../agent/index.ts'
import { MandateError } from '../core/index.ts'
import { evaluate } from './evaluate.ts'
import type { EvalOptions } from './evaluate.ts'
import type { EvalReport } from './report.ts'
import { agentOf, defineEval } from './suite.ts'
import type { EvalSuite, EvalVariant } from './suite.ts'

/** The results of several variants of an agent on the same tasks. */
export interface BenchmarkReport {
  readonly name: string
  /** One report per variant, in their order. */
  readonly variants: readonly { readonly variant: string; readonly report: EvalReport }[]
}

/**
 * Runs the tasks of a suite with each of its variants, one variant after the other, to compare agents, models and prompts by success, time, tokens and cost. A
 * variant is a partial agent configuration, or the id of another agent of the service.
 *
 * @example
 * ```ts
 * import { benchmark } from 'mandate/evals'
 * import { scripted } from 'mandate/model'
 * const { variants } = await benchmark({
 *   name: 'weather',
 *   agent: { id: 'weather', instructions: 'Answer in one sentence.' },
 *   tasks: [{ input: 'How is Oslo?', checks: ["text.includes('grey')"], repeat: 3 }],
 *   variants: { small: { model: scripted(() => 'Grey?') }, large: { model: scripted(() => 'It is grey.') } },
 * })
 * for (const { variant, report } of variants) console.log(variant, report.total.rate, report.total.figures.totalTokens)
 * ```
 */
export async function benchmark(
  suite: EvalSuite,
  options: Omit<EvalOptions, 'baseline'> = {},
): Promise<BenchmarkReport> {
  const variants = Object.entries(defineEval(suite).variants ?? {})
  if (variants.length === 0)
    throw new MandateError(
      'CONFIG_INVALID',
      `The eval "${suite.name}" has no \`variants\` to compare. Add two or more.`,
    )
  const reports: { variant: string; report: EvalReport }[] = []
  for (const [variant, change] of variants) {
    if (options.signal?.aborted === true) break
    const report = await evaluate({ ...suite, ...variantOf(suite, variant, change) }, options)
    reports.push({ variant, report })
  }
  return { name: suite.name, variants: reports }
}

function variantOf(suite: EvalSuite, variant: string, change: EvalVariant): Partial<EvalSuite> {
  const name = `${suite.name} (${variant})`
  const cassettes =
    typeof suite.cassettes === 'function' ? variantCassettes(suite.cassettes, variant) : below(suite, variant)
  if (typeof change === 'string') return { name, cassettes, agent: change }
  const agent = agentOf(suite)
  if (typeof agent === 'string')
    throw new MandateError(
      'CONFIG_INVALID',
      `The variant "${variant}" changes the agent "${agent}", which is given by its id. Give its configuration as \`agent\`.`,
    )
  const changed: AgentConfig = {
    ...agent,
    ...change,
    id: change.id ?? `${agent.id ?? agent.name ?? 'agent'}-${variant}`,
  }
  return { name, cassettes, agent: changed }
}

function variantCassettes(
  open: Exclude<EvalSuite['cassettes'], string | URL | undefined>,
  variant: string,
): EvalSuite['cassettes'] {
  return (name) => open(`${variant}-${name}`)
}

/** Returns the folder of a variant's own recordings. */
function below({ cassettes }: EvalSuite, variant: string): EvalSuite['cassettes'] {
  if (typeof cassettes === 'string') return `${cassettes}/${variant}`
  return cassettes instanceof URL ? new URL(`${variant}/`, `${cassettes.href.replace(/\/$/, '')}/`) : undefined
}
