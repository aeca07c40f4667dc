import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../page/page.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** It goes only by what is inside, as what it shows cannot be had again. */
  readonly isKept?: boolean
  /** Wide for forms of many fields. */
  readonly size?: 'md' | 'xl'
  readonly children: ReactNode
}

/** A dialog that is open while it is mounted. */
export function Dialog({ title, onClose, isKept = false, size = 'md', children }: DialogProps) {
  const texts = useTexts('dialog')
  // The library gives the focus back only when a dialog that stays mounted closes.
  useEffect(() => {
    const focused = document.activeElement
    return () => {
      const opener = focused instanceof HTMLElement && focused.isConnected ? focused : undefined
      // What opened it may be gone with what was removed: then the page has the focus, not the document before it.
      const place = opener ?? document.getElementById('content')
      place?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': texts.close }}
      withCloseButton={!isKept}
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
    >
      {children}
    </Modal>
  )
}

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

interface ConfirmDialogProps {
  readonly title: string
  readonly hint: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something that cannot be undone; errors are shown here. */
export function ConfirmDialog({ title, hint, action, onConfirm, onClose }: ConfirmDialogProps) {
  const confirmed = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <Text>{hint}</Text>
        <FormButtons
          error={confirmed.error}
          isPending={confirmed.isPending}
          onCancel={onClose}
          action={action}
          onAction={() => confirmed.mutate()}
          isDanger
        />
      </Stack>
    </Dialog>
  )
}
