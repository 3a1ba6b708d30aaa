import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowRight, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** A part of the guide that can be linked to. */
export function GuideSection({
  id,
  icon: Icon,
  title,
  children,
}: {
  id: string;
  icon: LucideIcon;
  title: string;
  children: ReactNode;
}) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="scroll-mt-20 border-t border-line py-8 first:border-t-0 first:pt-0"
    >
      <h2 id={`${id}-title`} className="flex items-center gap-3 text-lg font-semibold">
        <span className="grid size-9 shrink-0 place-items-center rounded-card bg-accent-soft text-accent">
          <Icon aria-hidden className="size-5" />
        </span>
        {title}
      </h2>
      <div className="mt-3 max-w-[44rem] space-y-3">{children}</div>
    </section>
  );
}

/** What to do, one thing after the other. */
export function Steps({ items }: { items: readonly ReactNode[] }) {
  return (
    <ol className="space-y-3">
      {items.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the steps of a guide never change places
        <li key={index} className="flex gap-3">
          <span
            aria-hidden
            className="grid size-6 shrink-0 place-items-center rounded-full border border-control-line text-xs font-semibold"
          >
            {index + 1}
          </span>
          <div className="min-w-0">{item}</div>
        </li>
      ))}
    </ol>
  );
}

/** What a thing is called, and what is to be known about it. */
export function Terms({ items }: { items: ReadonlyArray<{ term: ReactNode; text: string }> }) {
  return (
    <dl className="divide-y divide-line overflow-hidden rounded-card border border-line bg-raised">
      {items.map(({ term, text }) => (
        <div
          key={text}
          className="grid gap-x-6 gap-y-1 px-4 py-3 md:grid-cols-[13rem_minmax(0,1fr)] md:items-center"
        >
          <dt className="font-semibold">{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Leads to the screen that is talked about. */
export function GoTo({ to, children }: { to: NonNullable<LinkProps["to"]>; children: ReactNode }) {
  return (
    <p>
      <Link
        to={to}
        className="inline-flex min-h-6 items-center gap-1.5 font-semibold text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover"
      >
        {children}
        <ArrowRight aria-hidden className="size-4" />
      </Link>
    </p>
  );
}
