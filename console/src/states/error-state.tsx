import { Alert, Button } from '@mantine/core'
import { IconAlertTriangle, IconLock, IconPlugConnectedX, IconQuestionMark } from '@tabler/icons-react'
import { ApiError } from '../api/api-error.ts'
import { type Texts, useTexts } from '../language/language.ts'
import { EmptyState } from './empty-state.tsx'

interface ErrorStateProps {
  readonly error: Error
  readonly onRetry?: () => void
}

/** Shows what went wrong and what to do about it, in place of the content. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const texts = useTexts('pageState')
  const status = error instanceof ApiError ? error.status : undefined
  if (status === 403) return <EmptyState icon={IconLock} title={texts.forbidden} hint={texts.forbiddenHint} />
  if (status === 404) return <EmptyState icon={IconQuestionMark} title={texts.notFound} hint={texts.notFoundHint} />
  const isAway = status === 0 || status === 503
  return (
    <EmptyState
      icon={isAway ? IconPlugConnectedX : IconAlertTriangle}
      title={isAway ? texts.unreachable : texts.failed}
      hint={isAway ? texts.unreachableHint : reasonOf(error, texts)}
    >
      {onRetry && (
        <Button variant="light" onClick={onRetry} mt="sm">
          {texts.tryAgain}
        </Button>
      )}
    </EmptyState>
  )
}

/** Says beside a form why it could not be done; nothing while nothing went wrong. */
export function ErrorAlert({ error }: { readonly error: Error | null }) {
  const texts = useTexts('pageState')
  if (!error) return null
  return (
    <Alert color="red" role="alert">
      {reasonOf(error, texts)}
    </Alert>
  )
}

type ReasonTexts = Pick<Texts<'pageState'>, 'unreachable' | 'loggedOut' | 'forbidden' | 'tooMany'>

/** Why something did not work, for people; reasons that only the service knows are in its own words, which are English. */
export function reasonOf(error: Error, texts: ReasonTexts): string {
  if (!(error instanceof ApiError)) return error.message
  switch (error.status) {
    case 0:
    case 503:
      return texts.unreachable
    case 401:
      return texts.loggedOut
    case 403:
      return texts.forbidden
    case 429:
      return texts.tooMany
    default:
      return error.message
  }
}
