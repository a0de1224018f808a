import type { Json } from '../core/index.ts'
import type { ToolContext, ToolWrite } from '../tool/index.ts'

/** Writes as an effect of the run; directly if the tool is not called by a run, because then there is no gate. */
export async function written(context: ToolContext, write: ToolWrite): Promise<Json> {
  return context.write === undefined ? ((await write.perform(write.input)) ?? null) : context.write(write)
}
