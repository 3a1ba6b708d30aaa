import { Plus, Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { withTexts } from "#/i18n/lazy-with-texts";
import { NotificationBell } from "#/features/notifications/bell";
import type { User } from "#/session/session";
import { KeysDialog } from "#/shared/keys/keys-dialog-on-demand";
import { isCovered } from "#/shared/keys/use-keys";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { MachineEntryDialogs, QuickAdd } from "./quick-add";
import type { MachineEntry } from "./quick-add-kinds";
import { useManagerKeys } from "./use-manager-keys";

const CommandPalette = dialogOnDemand(
  withTexts(["commands", "home", "person"], () =>
    import("./palette/command-palette").then((module) => module.CommandPalette),
  ),
);

type Open =
  | { what: "search" | "keys" }
  | { what: "entry"; entry: MachineEntry; machine: Equipment | null; isHere?: boolean };

const isMac = navigator.userAgent.includes("Mac");

/** The header's tools of owners and managers, which are also reached by keys. */
export function ManagerTools({ user }: { user: User }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(null);
  const record = (entry: MachineEntry) =>
    setOpen({ what: "entry", entry, machine: null, isHere: true });
  useManagerKeys({
    search: () => setOpen({ what: "search" }),
    add: () => add.current?.click(),
    record,
    help: () => setOpen({ what: "keys" }),
  });
  useSearchKey(() => setOpen({ what: "search" }));
  return (
    <div className="flex items-center gap-1">
      <Button
        size="small"
        className="font-normal text-muted"
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
        onClick={() => setOpen({ what: "search" })}
      >
        <Search aria-hidden className="size-4" />
        <span className="max-[90rem]:sr-only">{t("commands.search.open")}</span>
        {/* The keys are no part of the button's name. */}
        <kbd
          data-keys={isMac ? "⌘K" : "Ctrl K"}
          className="ml-2 hidden font-mono text-xs before:content-[attr(data-keys)] min-[90rem]:block"
        />
      </Button>
      <div className="max-md:hidden">
        <QuickAdd
          trigger={
            <Button
              ref={add}
              variant="primary"
              size="small"
              icon
              aria-label={t("commands.add.open")}
            >
              <Plus aria-hidden className="size-5" />
            </Button>
          }
        />
      </div>
      <NotificationBell />
      {open?.what === "search" && (
        <CommandPalette
          user={user}
          onEntry={(entry, machine) => setOpen({ what: "entry", entry, machine })}
          onKeys={() => setOpen({ what: "keys" })}
          onClose={close}
        />
      )}
      {open?.what === "keys" && <KeysDialog onClose={close} />}
      {open?.what === "entry" && <MachineEntryDialogs {...open} onClose={close} />}
    </div>
  );
}

/** Ctrl-K, or Cmd-K; also works while typing. */
function useSearchKey(onSearch: () => void): void {
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isSearch = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!isSearch || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!isCovered()) search();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
