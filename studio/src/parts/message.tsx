import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import { PLACE } from '../api/place.ts'
import styles from './message.module.css'

/** The placeholder of an empty list: a description of its content, and the next command. */
export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className={styles['empty']}>
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  )
}

/** A loading message, which is hidden if loading is fast. */
export function Loading(): ReactNode {
  return (
    <div className="page">
      <p className={styles['loading']} role="status">
        Loading…
      </p>
    </div>
  )
}

/** An error with its code and advice. */
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
          What the store and the server say of themselves: <a href={`${PLACE}/doctor`}>doctor</a>.
        </p>
      ) : null}
      {/* A retry does not help if the resource does not exist. */}
      {retry === undefined || (of instanceof ApiError && of.status === 404) ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
