import { MandateError, within } from '../../core/index.ts'
import { redactJson, tokensIn } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import { invalidInput, revealChoices } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { ApprovalRequestData } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'
import { validateInput } from '../effect/input-validation.ts'
import type { KernelHost } from '../kernel/host.ts'
import { findTool } from '../kernel/registry.ts'
import type { Resources } from '../kernel/resources.ts'

/** A request, the input that replaces the requested one, and where to find the tool. */
interface Edited {
  readonly request: Pick<ApprovalRequestData, 'kind' | 'name'>
  readonly edit: Json | undefined
  readonly resources: Resources | undefined
  /** Whether the run has a vault, which keeps the secrets of the edit. */
  readonly isVaulted: boolean
  readonly mandates: readonly Mandate[]
}

/**
 * Throws if an edited input holds a secret that nothing keeps, or if the tool's schema refuses it, so that the approver can correct it. An edit passes where the tool is not registered in this
 * process: the gate judges every edit again.
 */
export async function checkEdit(
  { registry, clock, limits, redactor }: Pick<KernelHost, 'registry' | 'clock' | 'limits' | 'redactor'>,
  edited: Edited,
): Promise<void> {
  const { request, edit, resources, isVaulted } = edited
  if (request.kind !== 'tool' || edit === undefined) return
  const tool = findTool(resources ?? {}, registry, request.name)
  if (!isVaulted) refuseLost(edited, redactJson(edit, redactor), tool)
  // Only the run can resolve redaction tokens.
  if (tokensIn(edit).length > 0) return
  if (tool === undefined) return
  const checking = Promise.resolve(validateInput(tool, edit))
  const checked = await within(clock, limits.checkTimeoutMs, checking, () => {
    const message = `The schema of "${request.name}" did not answer within ${limits.checkTimeoutMs} ms, so the edit cannot be taken. Look at why it hangs.`
    throw new MandateError('TIMEOUT', message)
  })
  if (!checked.ok) throw new MandateError('INPUT_INVALID', invalidInput(request.name, checked.issues))
}

/** Without a vault the call would get a token in place of each secret: unless it takes tokens, the gate would refuse what a person has approved. */
function refuseLost({ request: { name }, edit, mandates }: Edited, recorded: Json, tool: Tool | undefined): void {
  if (recorded === edit) return
  const effect = { kind: 'tool', name, input: recorded } as const
  const facts = { known: true, worst: {}, takesTokens: tool?.takesTokens }
  const lost = revealChoices({ effect, facts, input: recorded }, mandates).find(({ then }) => then === 'deny')
  if (lost === undefined) return
  throw new MandateError(
    'INPUT_INVALID',
    `The edit holds a secret (at ${lost.pointer || 'the input itself'}), of which "${name}" would get only the token ${lost.token}. Give the service a \`vault\`, or use a handle of a named secret.`,
  )
}
