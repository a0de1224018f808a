import { secretRedactor } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'

const TOKEN = '[secret]'
/** A redaction token. Its number differs between runs, so that a replay would not find the recording. */
const SECRET = /\[secret:[^\]#\s]{1,100}#[0-9a-f]{1,64}\]/g
const PII = /\[(pii:[^\]#\s]{1,100})#[0-9a-f]{1,64}\]/g

/** Created on demand: most processes record nothing. */
let made: Redactor | undefined

function secrets(): Redactor {
  return (made ??= secretRedactor())
}

/** Redacts formats of secrets with tokens that are the same in every run. Used after the redactor of known values. */
export const secretTokens: Redactor = {
  text: (text) => secrets().text(text).replace(SECRET, TOKEN).replace(PII, '[$1]'),
  member: (name, text) => secrets().member!(name, text).replace(SECRET, TOKEN).replace(PII, '[$1]'),
}
