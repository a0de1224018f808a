import type { Json } from '../core/index.ts'
import type { ToolContext, ToolWrite } from '../tool/index.ts'

/** Makes a write as an effect of the run; directly where a tool is called by something other than a run, which has no gate to pass. */
export async function written(context: ToolContext, write: ToolWrite): Promise<Json> {
  return context.write === undefined ? ((await write.perform(write.input)) ?? null) : context.write(write)
}
