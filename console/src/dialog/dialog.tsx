import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../language/language.ts'
import { ErrorAlert, Hint, Part } from '../page/page.tsx'

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
      // What opened it may be gone with what was removed: then the page has the focus (shell.tsx).
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
    }
  }, [])
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      // Of several lines, when a name in it is long.
      styles={{ title: { lineHeight: 1.3, overflowWrap: 'anywhere' } }}
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
  /** Absent where there is nothing to leave. */
  readonly onCancel?: () => void
  /** What the button says that does it; “Save” when absent. */
  readonly action?: string
  /** Whether it takes something away. */
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
}

/** The end of a form: why it could not be done, and the ways out of it. */
export function FormButtons({ error, isPending, onCancel, action, isDanger, isDisabled }: FormButtonsProps) {
  const texts = useTexts('dialog')
  return (
    <>
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        {onCancel && (
          <Button variant="default" onClick={onCancel} disabled={isPending}>
            {texts.cancel}
          </Button>
        )}
        <Button type="submit" color={isDanger ? 'red' : undefined} loading={isPending} disabled={isDisabled}>
          {action ?? texts.save}
        </Button>
      </Group>
    </>
  )
}

interface FormProps extends Pick<FormButtonsProps, 'action' | 'isDanger' | 'isDisabled'> {
  readonly title: string
  /** Says at the fields what is wrong that the browser does not; nothing is done while it answers no. */
  readonly isGood?: () => boolean
  readonly children?: ReactNode
}

interface FieldsProps extends Omit<FormProps, 'title'>, FormButtonsProps {
  readonly onSubmit: () => void
}

function Fields({ isGood, onSubmit, children, ...buttons }: FieldsProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog that was opened inside another form is a child of it for React, though not for the browser.
    event.stopPropagation()
    if (isGood?.() ?? true) onSubmit()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <FormButtons {...buttons} />
      </Stack>
    </form>
  )
}

interface FormDialogProps<Saved> extends FormProps {
  readonly onSave: () => Promise<Saved>
  /** In place of closing it. */
  readonly onDone?: (saved: Saved) => void
  readonly onClose: () => void
  /** Whether something was entered that is asked about before it is dropped. */
  readonly isUnsaved?: boolean
  readonly size?: DialogProps['size']
}

/** Fields in a dialog, which closes when they are saved. */
export function FormDialog<Saved>(props: FormDialogProps<Saved>) {
  const { title, onSave, onDone, onClose, isUnsaved = false, size, ...fields } = props
  const { leave, saved, question } = useUnsaved(isUnsaved)
  const save = useMutation({
    mutationFn: onSave,
    onSuccess: reply => {
      saved()
      if (onDone) onDone(reply)
      else onClose()
    },
  })
  // Whether it was done is said here, and what it made may be shown only once.
  const cancel = () => {
    if (!save.isPending) leave(onClose)
  }
  return (
    <Dialog title={title} onClose={cancel} size={size}>
      <Fields {...fields} onSubmit={save.mutate} onCancel={cancel} error={save.error} isPending={save.isPending} />
      {question}
    </Dialog>
  )
}

interface ConfirmDialogProps extends Pick<FormProps, 'title' | 'children'> {
  readonly hint: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something that cannot be undone; errors are shown here. */
export function ConfirmDialog({ hint, onConfirm, children, ...dialog }: ConfirmDialogProps) {
  return (
    <FormDialog {...dialog} onSave={onConfirm} isDanger>
      <Text>{hint}</Text>
      {children}
    </FormDialog>
  )
}

interface FormCardProps extends FormProps {
  readonly hint?: string
  /** What is asked before it is done. */
  readonly question?: Pick<ConfirmDialogProps, 'title' | 'hint' | 'action'>
  /** Does it, and answers with what is said here then. */
  readonly onSave: () => Promise<string | undefined>
}

/** Fields as a part of a page. */
export function FormCard({ title, hint, question, onSave, children, ...fields }: FormCardProps) {
  const [isAsking, setAsking] = useState(false)
  const save = useMutation({ mutationFn: onSave })
  return (
    <Part title={title}>
      <Fields
        {...fields}
        onSubmit={question ? () => setAsking(true) : save.mutate}
        error={save.error}
        isPending={save.isPending}
      >
        {hint && <Hint>{hint}</Hint>}
        {children}
        {save.data && (
          <Alert color="teal" role="status">
            {save.data}
          </Alert>
        )}
      </Fields>
      {isAsking && question && (
        <ConfirmDialog {...question} onConfirm={save.mutateAsync} onClose={() => setAsking(false)} />
      )}
    </Part>
  )
}

interface Unsaved {
  /** Leaves a form in the page, such as by its own close button: at once when nothing was entered, else after the question. */
  readonly leave: (onLeave: () => void) => void
  /** To be called when all of it was saved, before the form goes: nothing is asked then. */
  readonly saved: () => void
  /** To be shown with the form: the question, while it is asked. */
  readonly question: ReactNode
}

/**
 * Asks before what was entered and not saved is dropped: by closing the form, by a link, by going back, or by closing the
 * tab, where the browser asks.
 *
 * @param isUnsaved `isDirty()` of the form
 * @param scope what closes it: in a `page`, what only changes the view of that page does not
 */
export function useUnsaved(isUnsaved: boolean, scope: 'view' | 'page' = 'view'): Unsaved {
  const texts = useTexts('dialog')
  const [leaving, setLeaving] = useState<{ readonly onLeave: () => void }>()
  // A form that closes may change the address, which is not asked about once more.
  const isDropped = useRef(false)
  useEffect(() => {
    if (!isUnsaved) isDropped.current = false
  }, [isUnsaved])
  const blocked = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !isDropped.current && (scope === 'view' || current.pathname !== next.pathname),
    disabled: !isUnsaved,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  const stay = () => {
    setLeaving(undefined)
    blocked.reset?.()
  }
  const drop = () => {
    isDropped.current = true
    setLeaving(undefined)
    leaving?.onLeave()
    blocked.proceed?.()
  }
  const isAsking = leaving !== undefined || blocked.status === 'blocked'
  return {
    leave: onLeave => {
      if (isUnsaved && !isAsking) setLeaving({ onLeave })
      // The key that closes the question reaches the form under it as well.
      else if (!isAsking) onLeave()
    },
    saved: () => {
      isDropped.current = true
    },
    question: isAsking && (
      <Dialog title={texts.unsaved} onClose={stay}>
        <Stack>
          <Text>{texts.unsavedHint}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={stay} data-autofocus>
              {texts.keepEditing}
            </Button>
            <Button color="red" onClick={drop}>
              {texts.discard}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    ),
  }
}
