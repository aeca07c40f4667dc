import { Alert } from '@mantine/core'
import { useTexts } from '../language/language.ts'
import { reasonOf } from './reason.ts'

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
