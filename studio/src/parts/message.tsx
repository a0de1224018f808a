import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import styles from './message.module.css'

/** What is shown where there is nothing yet: what would be here, and the next command. */
export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className={styles['empty']}>
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  )
}

/** Says that something comes; nothing where it is there at once. */
export function Loading(): ReactNode {
  return (
    <div className="page">
      <p className={styles['loading']} role="status">
        Loading…
      </p>
    </div>
  )
}

/** An error with its code and what to do. */
export function Problem({ of, retry }: { readonly of: unknown; readonly retry?: (() => void) | undefined }): ReactNode {
  const code = of instanceof ApiError ? of.code : 'ERROR'
  const isStranger = of instanceof ApiError && of.status === 401
  return (
    <div className={styles['problem']} role="alert">
      <strong>{code}</strong>
      <p>
        {isStranger
          ? 'This browser is not signed in. Open the link that `mandate studio` or `mandate serve` printed.'
          : of instanceof Error
            ? of.message
            : String(of)}
      </p>
      {of instanceof ApiError && of.status >= 500 ? (
        <p className="muted">
          What the store and the server say of themselves: <a href="/doctor">doctor</a>.
        </p>
      ) : null}
      {/* What is not there does not come by asking again. */}
      {retry === undefined || (of instanceof ApiError && of.status === 404) ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
