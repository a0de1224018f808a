import type { ReactNode } from 'react'
import { bytes, visible } from '../../parts/format.ts'
import styles from './agents.module.css'

/** Maximum total size of files: the server accepts bodies of 4 MiB, and base64 makes files a third larger. */
const MOST = 2_900_000

/** Returns the error message if the files are too large. */
export function tooLarge(files: readonly File[]): string | undefined {
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return size > MOST ? `${bytes(size)} are too much for one message: at most ${bytes(MOST)}.` : undefined
}

interface AttachmentsProps {
  readonly files: readonly File[]
  readonly change: (files: readonly File[]) => void
}

/** The files attached to a message. */
export function Attachments({ files, change }: AttachmentsProps): ReactNode {
  const problem = tooLarge(files)
  return (
    <div className={`line ${styles['files']}`}>
      <label className={styles['attach']}>
        + Attach files
        <input
          type="file"
          className="hidden-visually"
          multiple
          aria-label="Attach files"
          onChange={(event) => {
            change([...files, ...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </label>
      {files.map((file, index) => (
        <span key={index} className="line">
          <code>{visible(file.name)}</code> <span className="muted">{bytes(file.size)}</span>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${file.name}`}
            onClick={() => change(files.filter((_, place) => place !== index))}
          >
            ✕
          </button>
        </span>
      ))}
      {problem === undefined ? null : <span role="alert">{problem}</span>}
    </div>
  )
}

/** Builds a message from a text and files. */
export async function messageWith(text: string, files: readonly File[]): Promise<unknown> {
  const parts = await Promise.all(
    files.map(async (file) => ({
      type: file.type.startsWith('image/') ? 'image' : 'file',
      mediaType: file.type === '' ? 'application/octet-stream' : file.type,
      filename: file.name,
      data: await base64Of(file),
    })),
  )
  return { role: 'user', content: [{ type: 'text', text }, ...parts] }
}

async function base64Of(file: File): Promise<string> {
  const content = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let at = 0; at < content.length; at += 32_768)
    binary += String.fromCharCode(...content.subarray(at, at + 32_768))
  return btoa(binary)
}
