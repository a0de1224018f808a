import { MandateError, checkNumbers, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { isChecked } from '../checks.ts'
import { checkWhole } from '../whole-text.ts'
import { type Tool, defineTool } from '../../tool/index.ts'
import { diffLines } from './diff.ts'
import { edited } from './edit.ts'
import { walk } from './list.ts'
import { isListed, partsOf, refused, showName } from './names.ts'
import { readText } from './read.ts'
import { searchFiles } from './search.ts'
import { Workspace, shown } from './workspace.ts'
import { writeText } from './write.ts'

export interface FileToolOptions {
  /** The folder of these tools; nothing outside it can be reached. */
  readonly root: string
  /** Also provides `write_file` and `edit_file`. Off by default. */
  readonly write?: boolean | undefined
  /** Paths that may not be read or written, such as `secrets` (a folder with its contents) or `*.pem`. */
  readonly deny?: readonly string[] | undefined
  /** Paths that may not be written, instead of the default `PROTECTED_PATHS`. */
  readonly protect?: readonly string[] | undefined
  /** A million by default. */
  readonly maxFileBytes?: number | undefined
  /** The maximum number of names in one listing; 1,000 by default. */
  readonly maxEntries?: number | undefined
}

const FILE_TOOL_OPTIONS: FieldNames<FileToolOptions> = {
  root: 'text',
  write: 'flag',
  deny: 'texts',
  protect: 'texts',
  maxFileBytes: true,
  maxEntries: 'number',
}

/** Files that could execute code or grant rights when written: internals of repositories, start-up files, credentials, configurations of tools. */
const PROTECTED_PATHS: readonly string[] = Object.freeze([
  // Repositories, and what runs on their behalf.
  ...['.git', '.hg', '.svn', '.gitconfig', '.gitmodules', '.gitattributes', '.config/git', '.husky'],
  ...['.github/workflows', '.github/actions', '.gitlab-ci.yml', '.circleci', '.pre-commit-config.yaml'],
  // Programs that are executed or loaded automatically.
  ...['node_modules', '.yarn', '.pnpmfile.cjs', '.cargo', '.local/bin', '.config/systemd', '.config/autostart'],
  ...['.vscode', '.idea', '.devcontainer', 'sitecustomize.py', 'usercustomize.py', '.htaccess', '.user.ini'],
  // Start-up files of shells, editors and terminals.
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.zshrc', '.zshenv', '.zprofile'],
  ...['.zlogin', '.config/fish', '.cshrc', '.tcshrc', '.kshrc', '.inputrc', '.envrc', '.xprofile', '.xinitrc'],
  ...['.vimrc', '.exrc', '.emacs', '.tmux.conf', '.screenrc', '.gdbinit', '.lldbinit'],
  // Credentials.
  ...['.ssh', '.gnupg', '.aws', '.azure', '.config/gcloud', '.kube', '.docker', '.env', '.env.*', '.netrc', '.npmrc'],
  ...['.yarnrc*', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf', '.htpasswd', 'authorized_keys'],
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
  // Configurations of agents and their tools, including those of this package.
  ...['.mcp.json', '.cursor', '.claude', '.gemini', '.codex', '.windsurf', '.mandate', 'mandate.config.*'],
])

interface Files {
  readonly workspace: Workspace
  readonly deny: readonly string[]
  readonly protect: readonly string[]
  readonly maxBytes: number
  readonly maxEntries: number
}

/**
 * Creates tools for the files of one folder: `read_file`, `list_files`, `search_files`, and with `write` also `write_file` and `edit_file`. Links are
 * not followed, and nothing outside is reached, even while folders are being replaced by links (TOCTOU).
 *
 * @example
 * ```ts
 * import { fileTools } from 'mandate/connect'
 * const tools = fileTools({ root: '.', write: true, deny: ['secrets', '*.pem'] })
 * ```
 */
export function fileTools(options: FileToolOptions): readonly Tool[] {
  checkNeeded(options, 'an option of `fileTools`', FILE_TOOL_OPTIONS)
  checkNumbers(options, 'an option of `fileTools`', { maxFileBytes: 'count+', maxEntries: 'count+' })
  const files: Files = {
    workspace: new Workspace(options.root),
    deny: options.deny ?? [],
    protect: options.protect ?? PROTECTED_PATHS,
    maxBytes: options.maxFileBytes ?? 1_000_000,
    maxEntries: options.maxEntries ?? 1_000,
  }
  const reading = [readTool(files), listTool(files), searchTool(files)]
  return options.write === true ? [...reading, writeTool(files), editTool(files)] : reading
}

const PATH = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Relative to the workspace, with "/".',
} as const

/** Files are untrusted: their author may address the model that reads them (prompt injection). */
const LABELS: readonly string[] = ['untrusted:file']

type Properties = { readonly [name: string]: unknown }

function objectOf(properties: Properties, required: readonly string[]): Properties {
  return { type: 'object', properties, required, additionalProperties: false }
}

function readTool(files: Files): Tool {
  return defineTool({
    name: 'read_file',
    labels: LABELS,
    description: 'Reads a text file. Long files in parts: `offset` is the first line (from 1), `limit` how many.',
    inputSchema: objectOf(
      { path: PATH, offset: { type: 'integer', minimum: 1 }, limit: { type: 'integer', minimum: 1 } },
      ['path'],
    ),
    risk: 'read',
    safeByDefault: true,
    idempotent: true,
    async run({ path, offset = 1, limit }: { path: string; offset?: number; limit?: number }) {
      const { text, encoding } = await load(files, path)
      const lines = text.split('\n')
      const part = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit)
      const isWhole = part.length === lines.length
      return { path: showName(path), content: isWhole ? text : part.join('\n'), lines: lines.length, encoding }
    },
  })
}

async function load(files: Files, path: unknown): ReturnType<typeof readText> {
  const parts = partsOf(path)
  if (isListed(parts, files.deny) && isChecked('files.deny-list')) throw denied(parts)
  const { folder, name } = await files.workspace.parent(parts)
  try {
    return await readText(folder, name, { parts, maxBytes: files.maxBytes })
  } finally {
    await folder.close()
  }
}

function denied(parts: readonly string[]): MandateError {
  return new MandateError('DENIED', `${shown(parts)} is closed to these tools by configuration.`)
}

function listTool(files: Files): Tool {
  return defineTool({
    name: 'list_files',
    labels: LABELS,
    description: 'Lists a folder: "[dir] name" and "[file] name". `depth` above 1 also lists what is below.',
    inputSchema: objectOf({ path: { ...PATH, minLength: 0 }, depth: { type: 'integer', minimum: 1, maximum: 16 } }, []),
    risk: 'read',
    safeByDefault: true,
    idempotent: true,
    async run({ path = '', depth = 1 }: { path?: string; depth?: number }) {
      const names: string[] = []
      let isCut = false
      for await (const listed of walk(files.workspace, path, { depth, entries: files.maxEntries })) {
        if (listed === 'more') isCut = true
        else if (!isListed(listed.parts, files.deny))
          names.push(`[${LABEL[listed.kind]}] ${listed.parts.map(showName).join('/')}`)
      }
      return {
        entries: names,
        ...(isCut ? { truncated: `Only the first ${files.maxEntries} names were looked at.` } : {}),
      }
    },
  })
}

const LABEL = { file: 'file', folder: 'dir', link: 'link, not followed', other: 'special' } as const

function searchTool(files: Files): Tool {
  return defineTool({
    name: 'search_files',
    labels: LABELS,
    description: 'Finds a text in the files of a folder, line by line. `name` restricts to names such as "*.ts".',
    inputSchema: objectOf(
      {
        text: { type: 'string', minLength: 1, maxLength: 1000, description: 'The text itself; no pattern.' },
        path: { ...PATH, minLength: 0 },
        name: { type: 'string', maxLength: 255 },
        ignoreCase: { type: 'boolean' },
      },
      ['text'],
    ),
    risk: 'read',
    safeByDefault: true,
    idempotent: true,
    run: (input: { text: string; path?: string; name?: string; ignoreCase?: boolean }, { signal }) =>
      searchFiles(files, input, signal),
  })
}

function writeTool(files: Files): Tool {
  return defineTool({
    name: 'write_file',
    description: 'Writes a whole text file, replacing what was there. Folders on the way are made.',
    inputSchema: objectOf({ path: PATH, content: { type: 'string' } }, ['path', 'content']),
    risk: 'write',
    safeByDefault: false,
    idempotent: true,
    run: ({ path, content }: { path: string; content: string }) => change(files, path, { content }),
  })
}

function editTool(files: Files): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces one passage of a text file (`old_string`, which must occur once, by `new_string`), or the whole file (`content`).',
    inputSchema: objectOf(
      {
        path: PATH,
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        old_str: { type: 'string' },
        new_str: { type: 'string' },
        content: { type: 'string' },
      },
      ['path'],
    ),
    risk: 'write',
    safeByDefault: false,
    run: ({ path, ...edit }: { path: string } & Edit) => change(files, path, edit),
  })
}

type Edit = Parameters<typeof edited>[1]

async function change(
  files: Files,
  path: unknown,
  edit: Edit,
): Promise<{ path: string; bytes: number; created: boolean; diff: string }> {
  // Before anything is changed: otherwise folders on the path would be created.
  const parts = partsOf(path)
  checkWritable(files, parts)
  const { folder, name } = await files.workspace.parent(parts, true)
  try {
    const before = await readText(folder, name, { parts, maxBytes: files.maxBytes }).catch((error: unknown) => {
      if (MandateError.isInstance(error) && error.code === 'NOT_FOUND') return undefined
      throw error
    })
    const text = edited(before?.text, edit, parts)
    checkWhole(text, 'The content')
    if (Buffer.byteLength(text) > files.maxBytes)
      throw refused(`The content has more than ${files.maxBytes} bytes. Write less, or raise \`maxFileBytes\`.`)
    const bytes = await writeText(folder, name, parts, { ...before, text })
    return {
      path: parts.map(showName).join('/'),
      bytes,
      created: before === undefined,
      diff: diffLines(before?.text ?? '', text),
    }
  } finally {
    await folder.close()
  }
}

function checkWritable({ deny, protect }: Files, parts: readonly string[]): void {
  if (isListed(parts, deny) && isChecked('files.deny-list')) throw denied(parts)
  if (!isListed(parts, protect) || !isChecked('files.protected')) return
  const message = `${shown(parts)} is protected: writing it could run or grant something. A person must change it.`
  throw new MandateError('DENIED', message)
}
