import type { ComponentType } from "react";
import type { CompanySettings, Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { PrintCards } from "./cards/print-cards";
import { AddManagerDialog } from "./managers/add-manager-dialog";
import { EditManagerDialog, RemoveManager } from "./managers/manager-dialogs";
import { ResetFactor } from "./managers/reset-factor";
import { OperatorDialog } from "./operator-dialog";
import { RemoveMany } from "./remove-many";
import { RemoveOperator } from "./remove-operator";
import { SettingsDialog } from "./settings-dialog";

/** The open dialog; one at a time. */
export type OpenDialog =
  | { dialog: "settings" | "password" | "add" | "addManager" }
  | { dialog: "print"; people?: readonly Employee[] | undefined }
  | { dialog: "removeMany"; people: readonly Employee[] }
  | {
      dialog: "edit" | "reset" | "remove" | "editManager" | "removeManager" | "resetFactor";
      person: Employee;
    };

/** A dialog about one person. */
export type PersonDialog = ComponentType<{ person: Employee; onClose: () => void }>;

export function PeopleDialogs({
  openDialog,
  settings,
  companyName,
  operators,
  resetDialog: ResetDialog,
  onOpen,
  onClose,
}: {
  openDialog: OpenDialog | null;
  settings: CompanySettings | undefined;
  companyName: string;
  operators: readonly Employee[];
  resetDialog: PersonDialog;
  /** Goes on to another dialog. */
  onOpen: (openDialog: OpenDialog) => void;
  onClose: () => void;
}) {
  switch (openDialog?.dialog) {
    case undefined:
      return null;
    case "settings":
      return <SettingsDialog companyName={companyName} onSaved={onClose} onClose={onClose} />;
    case "password":
      return (
        <SettingsDialog
          first
          companyName={companyName}
          onSaved={() => onOpen({ dialog: "add" })}
          onClose={onClose}
        />
      );
    case "print":
      return (
        <PrintCards
          operators={operators}
          companyName={companyName}
          stale={settings?.operatorPasswordStale ?? false}
          only={openDialog.people}
          onClose={onClose}
        />
      );
    case "add":
      return (
        <OperatorDialog
          operator={null}
          passwordSet={settings?.operatorPasswordSet ?? true}
          onPrint={(person) => onOpen({ dialog: "print", people: [person] })}
          onClose={onClose}
        />
      );
    case "edit":
      return (
        <OperatorDialog
          operator={openDialog.person}
          passwordSet
          onPrint={onClose}
          onClose={onClose}
        />
      );
    case "reset":
      return <ResetDialog person={openDialog.person} onClose={onClose} />;
    case "remove":
      return <RemoveOperator operator={openDialog.person} onClose={onClose} />;
    case "removeMany":
      return <RemoveMany operators={openDialog.people} onClose={onClose} />;
    case "addManager":
      return <AddManagerDialog onClose={onClose} />;
    case "editManager":
      return <EditManagerDialog manager={openDialog.person} onClose={onClose} />;
    case "resetFactor":
      return <ResetFactor manager={openDialog.person} onClose={onClose} />;
    case "removeManager":
      return <RemoveManager manager={openDialog.person} onClose={onClose} />;
  }
}
