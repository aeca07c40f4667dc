import { Button } from '@mantine/core'
import { IconAlertTriangle, IconLock, IconPlugConnectedX, IconQuestionMark } from '@tabler/icons-react'
import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../language/language.ts'
import { EmptyState } from './empty-state.tsx'
import { reasonOf } from './reason.ts'

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
