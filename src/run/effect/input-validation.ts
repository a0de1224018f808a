import type { Json } from '../../core/index.ts'
import type { Validation } from '../../gate/index.ts'
import type { Tool } from '../../tool/index.ts'

/** The result of a tool's schema as the gate's `Validation`. */
export function validateInput(tool: Tool, input: Json): Validation | Promise<Validation> {
  const result = tool.validate(input)
  return result instanceof Promise ? result.then(translate) : translate(result)
}

function translate(result: Awaited<ReturnType<Tool['validate']>>): Validation {
  if (result.valid) return { ok: true, value: result.value }
  return {
    ok: false,
    issues: result.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
  }
}
