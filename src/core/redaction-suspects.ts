import { CleanTexts } from './redaction-clean.ts'

/**
 * What no format of secrets can do without: sixteen characters in a row of those that tokens are made of; a word or sign that stands before a secret;
 * a way of writing letters so that none of this is seen. A test holds it to every format, so whoever adds one hears of it here.
 */
const SUSPECT =
  /[\w\-./+=%$~@:]{16}|-----|private-lines|pass|pwd|kennwort|contrase|пароль|secret|credential|key|auth|[?&]code|code_verifier|device_code|_pat|bearer|basic|cookie|:\/\/| -(?:[pu]|a |-user)|mnemonic|phrase| words|%|\\[ux]|&#|=\r?\n|[\u00AD\u200B-\u200D\u2060\uFEFF]/i

/** Tokens that are counted are none. Whether the next letter is a capital matters, so this one cannot leave case aside. */
const TOKEN = /[Tt][Oo][Kk\u212A][Ee][Nn](?!s)/

/** Hashes, ids of runs and short names: long enough to be suspect, and known not to be secrets when nothing stands beside them. */
const OWN = /^(?:[0-9a-f]+|(?:run|session)_[0-9a-z]{20}|(?=.{1,19}$)[a-z]+(?:[A-Z][a-z]+)?)$/

/** Shorter text holds nothing that could be told by its looks. */
const TEXT_MIN = 8
const VALUE_MIN = 6

/** Names and texts come again and again: asked for first, then written. */
const plainTexts = new CleanTexts()
const plainNames = new CleanTexts()

/** Whether a text certainly holds no secret, whatever there is to find them. */
export function isPlainText(text: string): boolean {
  if (text.length < TEXT_MIN || plainTexts.has(text)) return true
  if ((SUSPECT.test(text) || TOKEN.test(text)) && !OWN.test(text)) return false
  plainTexts.add(text)
  return true
}

/** The same for the value of a named member: no name that promises a secret, no text that looks like one. */
export function isPlainMember(name: string, text: string): boolean {
  return text.length < VALUE_MIN || (isPlainText(text) && isPlainName(name))
}

function isPlainName(name: string): boolean {
  if (plainNames.has(name)) return true
  if (SUSPECT.test(name.toLowerCase()) || TOKEN.test(name)) return false
  plainNames.add(name)
  return true
}
