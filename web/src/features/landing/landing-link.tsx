import { clsx } from "clsx";
import { createContext, use, type MouseEvent, type ReactNode } from "react";
import { buttonClass, type ButtonLook } from "#/shared/ui/button-class";

export type LandingPath = "/signup" | "/login" | "/employee-login";

/**
 * How the page is left: it also stands on its own, without the application and its router. Where
 * nobody says how, its links are plain ones.
 */
export const LandingNavigation = createContext<{
  /** The visitor seems about to go on: its code may be fetched. */
  prepare: (to: LandingPath) => void;
  go: (to: LandingPath) => void;
} | null>(null);

export function LandingLink({
  to,
  button,
  className,
  children,
}: {
  to: LandingPath;
  /** Looks like one. */
  button?: ButtonLook;
  className?: string;
  children: ReactNode;
}) {
  const navigation = use(LandingNavigation);
  const prepare = () => navigation?.prepare(to);
  const follow = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!navigation || elsewhere || event.button !== 0) return;
    event.preventDefault();
    navigation.go(to);
  };
  return (
    <a
      href={to}
      onClick={follow}
      onPointerEnter={prepare}
      onFocus={prepare}
      className={clsx(button && buttonClass(button), className)}
    >
      {children}
    </a>
  );
}
