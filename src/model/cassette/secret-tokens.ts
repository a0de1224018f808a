import { secretRedactor } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'

const TOKEN = '[secret]'
/** What redaction put in place of a value. The number differs from run to run, so a replay would never find the recording. */
const SECRET = /\[secret:[^\]#\s]{1,100}#[0-9a-f]{1,64}\]/g
const PII = /\[(pii:[^\]#\s]{1,100})#[0-9a-f]{1,64}\]/g

/** Made when it is first needed: most processes record nothing. */
let made: Redactor | undefined

function secrets(): Redactor {
  return (made ??= secretRedactor())
}

/** Hides what has the format of a secret, with tokens that are the same in every run. It comes after the redactor that knows the values. */
export const secretTokens: Redactor = {
  text: (text) => secrets().text(text).replace(SECRET, TOKEN).replace(PII, '[$1]'),
  member: (name, text) => secrets().member!(name, text).replace(SECRET, TOKEN).replace(PII, '[$1]'),
}
