import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import {
  cloneElement,
  isValidElement,
  useId,
  type ComponentPropsWithRef,
  type MouseEvent,
  type ReactNode,
} from "react";
import { buttonClass, type ButtonLook } from "./button-class";
import { useTooltip } from "./tooltip";

type ButtonProps = ButtonLook &
  Omit<ComponentPropsWithRef<"button">, "disabled"> & {
    /** Shown instead of the children while the action runs; the button stays focusable. */
    pending?: boolean | undefined;
    pendingLabel?: ReactNode;
    /** Disables the button and explains why. */
    disabledReason?: string | undefined;
    /** Renders the only child (a link) with the classes of a button. */
    asChild?: boolean | undefined;
  };

export function Button(props: ButtonProps) {
  const {
    variant,
    size,
    icon,
    wide,
    pending = false,
    pendingLabel,
    disabledReason,
    asChild,
    className,
    children,
    onClick,
    type = "button",
    ...rest
  } = props;
  const look = clsx(buttonClass({ variant, size, icon, wide }), className);
  if (asChild && isValidElement<ComponentPropsWithRef<"button">>(children)) {
    return cloneElement(children, { ...rest, className: clsx(look, children.props.className) });
  }
  const blocked = pending || disabledReason !== undefined;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (blocked) event.preventDefault();
    else onClick?.(event);
  };
  const button = {
    ...rest,
    type,
    className: look,
    onClick: press,
    "aria-disabled": blocked || undefined,
    "aria-busy": pending || undefined,
    children: (
      <>
        {pending && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
        {pending ? (pendingLabel ?? children) : children}
      </>
    ),
  };
  // A button that can be disabled keeps its place in the tree, and so the focus.
  return "disabledReason" in props ? (
    <WithReason reason={disabledReason} button={button} />
  ) : (
    <button {...button} />
  );
}

function WithReason({
  reason,
  button,
}: {
  reason: string | undefined;
  button: ComponentPropsWithRef<"button">;
}) {
  const reasonId = useId();
  const { trigger, tooltip } = useTooltip(reason);
  return (
    <>
      <button
        {...trigger}
        {...button}
        aria-describedby={reason ? reasonId : button["aria-describedby"]}
      />
      {tooltip}
      {reason !== undefined && (
        <span id={reasonId} className="sr-only">
          {reason}
        </span>
      )}
    </>
  );
}
