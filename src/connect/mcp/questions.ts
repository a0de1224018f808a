import type { Json } from '../../core/index.ts'
import { isChecked } from '../checks.ts'

/** A question of a server to a person during a call. Its text is untrusted: show who asks. */
interface McpQuestion {
  readonly server: string
  readonly message: string
  /** A form: a JSON Schema of flat fields. */
  readonly schema?: Json | undefined
  /** A page that the person should visit; always https. Show its host. */
  readonly url?: string | undefined
  /** The server's text mentions a password, a key or similar, although no field does. Warn before showing it. */
  readonly sensitive?: boolean | undefined
}

interface McpAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: { readonly [field: string]: string | number | boolean | readonly string[] } | undefined
}

/** Asks a person. */
export type McpElicit = (question: McpQuestion) => Promise<McpAnswer>

const MESSAGE_MAX = 2_000

/** The question in a request of the server; `undefined` if it must not be asked. */
export function questionIn(params: { readonly [field: string]: unknown }, server: string): McpQuestion | undefined {
  const message = typeof params['message'] === 'string' ? params['message'].slice(0, MESSAGE_MAX) : ''
  if (params['mode'] !== 'url') {
    const schema = (params['requestedSchema'] ?? null) as Json
    // The protocol forbids servers to ask for secrets in a form, because the answer passes through the client.
    if (isChecked('mcp.secret-forms') && secretFields(schema).length > 0) return undefined
    return { server, message, schema, ...(SECRET_WORDS.test(message) ? { sensitive: true } : {}) }
  }
  const url = typeof params['url'] === 'string' ? URL.parse(params['url']) : null
  // Any other scheme could start a program on the machine of the user who follows the link.
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return { server, message, url: url.href }
}

/** Words that indicate a secret in a form. */
const SECRET_WORDS =
  /pass[\s_-]?(?:word|phrase|code|wd)|\bpwd\b|secret|credential|api[\s_-]?key|access[\s_-]?key|private[\s_-]?key|recovery[\s_-]?(?:key|phrase|code)|seed[\s_-]?phrase|\b(?:auth|access|bearer|refresh|session|github|personal|id)[\s_-]?tokens?\b|\btoken\b|one[\s_-]?time[\s_-]?(?:code|pass)|\b(?:otp|totp|2fa|mfa|cvv|cvc|ssn|iban)\b|\bpin(?:[\s_-]?(?:code|number))?\b|card[\s_-]?number|security[\s_-]?code/i

/** The fields of a form that ask for a secret, by their name, description or format. */
function secretFields(schema: Json): readonly string[] {
  const { properties } = (schema ?? {}) as { properties?: { readonly [field: string]: unknown } }
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).flatMap(([field, facts]) => {
    const { title, description, format, writeOnly } = (facts ?? {}) as { [member: string]: unknown }
    // apiKey, api_key and "API key" are treated alike.
    const words = [field.replaceAll(/([a-z])([A-Z])/g, '$1_$2'), title, description].filter(
      (text) => typeof text === 'string',
    )
    const isSecret = format === 'password' || writeOnly === true || words.some((text) => SECRET_WORDS.test(text))
    return isSecret ? [field] : []
  })
}
