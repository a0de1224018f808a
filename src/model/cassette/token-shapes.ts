import type { Redactor } from '../../redact/index.ts'

/** Keys and tokens that can be told by their looks; a digit is asked for, because long names made of words have none. */
const SHAPES: readonly RegExp[] = [
  // Prefixes that issuers chose so that leaks can be found: model providers, payment, forges, registries, chat, clouds.
  /\b(?:sk|rk)[-_](?=[\w-]*\d)[\w-]{16,}/g,
  /\b(?:gsk|gh[pousr]|github_pat|npm|hf|pcsk|lsv2|r8|shpat|whsec|dop_v1)_(?=\w*\d)\w{20,}/g,
  /\b(?:xai|pplx|glpat|tvly)-(?=[\w-]*\d)[\w-]{20,}/g,
  /\bxox[abeoprs]-(?=[\w-]*\d)[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bya29\.[\w-]{20,}/g,
  // Three parts of base64, of which the first begins like a JSON object: a JSON Web Token.
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

/** What stands behind these words is a secret whatever it looks like; the words stay. */
const INTRODUCED: readonly RegExp[] = [
  /(\b(?:Bearer|Basic)\s+)[\w+/.~=-]{12,}/g,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"']*:)[^\s@/"']+(?=@)/gi,
  /(\b[\w-]*(?:api[_-]?key|secret|token|passwd|password)["']?\s*[=:]\s*["']?)(?=[\w+/.~-]*\d)[\w+/.~-]{12,}={0,2}/gi,
]

const TOKEN = '[secret]'
/** What the redaction of a run put in place of a value. The number differs from run to run, so a replay would never find the recording. */
const RUN_SECRET = /\[secret:[^\]#\s]{1,100}#[0-9a-f]{1,64}\]/g
const RUN_PII = /\[(pii:[^\]#\s]{1,100})#[0-9a-f]{1,64}\]/g

/** Finds what looks like a secret. It is a net below the redactor that knows the values, not instead of it. */
export const tokenShapes: Redactor = {
  text(text) {
    let hidden = text.replace(RUN_SECRET, TOKEN).replace(RUN_PII, '[$1]')
    for (const shape of SHAPES) hidden = hidden.replace(shape, TOKEN)
    for (const shape of INTRODUCED) hidden = hidden.replace(shape, `$1${TOKEN}`)
    return hidden
  },
}
