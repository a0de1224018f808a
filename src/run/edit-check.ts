import { MandateError, tokensIn } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { invalidInput } from '../gate/index.ts'
import type { ApprovalRequestData } from '../journal/index.ts'
import { validateInput } from './performers/tool.ts'
import { findTool } from './registry.ts'
import type { Registry } from './registry.ts'
import type { Resources } from './resources.ts'

/** What was asked for, what shall run instead, and where its tool may be found. */
export interface Edited {
  readonly request: Pick<ApprovalRequestData, 'kind' | 'name'>
  readonly edit: Json | undefined
  readonly resources: Resources | undefined
}

/**
 * Refuses an edit that its tool does not understand, so that whoever made it can make a better one. Where the tool is not at hand it passes:
 * the gate judges every edit again.
 */
export async function checkEdit(registry: Registry, { request, edit, resources }: Edited): Promise<void> {
  // What a token stands for is known to the run alone.
  if (request.kind !== 'tool' || edit === undefined || tokensIn(edit).length > 0) return
  const tool = findTool(resources ?? {}, registry, request.name)
  const checked = tool === undefined ? undefined : await validateInput(tool, edit)
  if (checked?.ok === false) throw new MandateError('INPUT_INVALID', invalidInput(request.name, checked.issues))
}
