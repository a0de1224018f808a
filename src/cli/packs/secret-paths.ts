import { realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { isListed } from '../../connect/index.ts'

/** Files that no tool of a pack may read and no option of a command may name: keys, credentials, and the journal of the runs, wherever it is in the folder. */
export const SECRETS: readonly string[] = [
  ...['.mandate', 'journal.db*', '.env', '.env.*', '*.pem', '*.key', '*.p12', '*.pfx', '*.kdbx'],
  ...['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.npmrc', '.netrc', '.pypirc', '.pgpass', '.git-credentials'],
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
]

/** Whether a path, or the file that its links lead to, is one of `SECRETS`. */
export async function isSecretPath(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path)
  return [path, real].some((one) => isListed(resolve(one).split(sep), SECRETS))
}
