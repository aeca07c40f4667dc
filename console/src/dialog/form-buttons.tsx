import { Button, Group } from '@mantine/core'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-alert.tsx'

interface FormButtonsProps {
  readonly error: Error | null
  readonly isPending: boolean
  readonly onCancel: () => void
  /** What the button says that does it; “Save” when absent. */
  readonly action?: string
  /** What it does without a form around it, which it submits otherwise. */
  readonly onAction?: () => void
  /** Whether it takes something away. */
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
  /** What cannot be seen again must not be left while it is made. */
  readonly isCancelDisabled?: boolean
}

/** The end of a form: why it could not be done, and the ways out of it. */
export function FormButtons(props: FormButtonsProps) {
  const { error, isPending, onCancel, onAction, isDanger, isDisabled, isCancelDisabled } = props
  const texts = useTexts('dialog')
  return (
    <>
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel} disabled={isCancelDisabled}>
          {texts.cancel}
        </Button>
        <Button
          type={onAction ? 'button' : 'submit'}
          color={isDanger ? 'red' : undefined}
          loading={isPending}
          disabled={isDisabled}
          onClick={onAction}
        >
          {props.action ?? texts.save}
        </Button>
      </Group>
    </>
  )
}
