import { clsx } from "clsx";
import type { ReactNode } from "react";
import { buttonClass, type ButtonLook } from "#/shared/ui/button-class";
import type { AppPath } from "./behaviour";

export function LandingLink({
  to,
  button,
  className,
  children,
}: {
  to: AppPath;
  /** Looks like a button. */
  button?: ButtonLook;
  className?: string;
  children: ReactNode;
}) {
  return (
    <a href={to} data-app className={clsx(button && buttonClass(button), className)}>
      {children}
    </a>
  );
}
