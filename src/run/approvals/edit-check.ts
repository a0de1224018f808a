import { MandateError, within } from '../../core/index.ts'
import { tokensIn } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import { invalidInput } from '../../gate/index.ts'
import type { ApprovalRequestData } from '../../journal/index.ts'
import { validateInput } from '../effect/input-validation.ts'
import type { KernelHost } from '../kernel/host.ts'
import { findTool } from '../kernel/registry.ts'
import type { Resources } from '../kernel/resources.ts'

/** A request, the input that replaces the requested one, and where to find the tool. */
interface Edited {
  readonly request: Pick<ApprovalRequestData, 'kind' | 'name'>
  readonly edit: Json | undefined
  readonly resources: Resources | undefined
}

/**
 * Throws if the tool's schema refuses an edited input, so that the approver can correct it. An edit passes where the tool is not registered in this
 * process: the gate judges every edit again.
 */
export async function checkEdit(
  { registry, clock, limits }: Pick<KernelHost, 'registry' | 'clock' | 'limits'>,
  { request, edit, resources }: Edited,
): Promise<void> {
  // Only the run can resolve redaction tokens.
  if (request.kind !== 'tool' || edit === undefined || tokensIn(edit).length > 0) return
  const tool = findTool(resources ?? {}, registry, request.name)
  if (tool === undefined) return
  const checking = Promise.resolve(validateInput(tool, edit))
  const checked = await within(clock, limits.checkTimeoutMs, checking, () => {
    const message = `The schema of "${request.name}" did not answer within ${limits.checkTimeoutMs} ms, so the edit cannot be taken. Look at why it hangs.`
    throw new MandateError('TIMEOUT', message)
  })
  if (!checked.ok) throw new MandateError('INPUT_INVALID', invalidInput(request.name, checked.issues))
}
