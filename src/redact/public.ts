// What `mandate/redact` offers: finding secrets and personal data, and handles to secrets.
export { SECRET_FORMATS, composeRedactors, noRedaction, secret, secretRedactor } from './index.ts'
export type { Redactor, SecretSource, VaultKeys } from './index.ts'
