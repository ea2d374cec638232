import { testTargetKind } from "../target-kind-suite.ts";
import { createMailboxTarget } from "./mailbox-target.ts";
import { PostOffice } from "./post-office.ts";

const office = new PostOffice();

testTargetKind("mailbox", {
  create: () => createMailboxTarget(office),
  secrets: null,
  confidential: { pin: "confidential-pin" },
  badSettings: [{ mailbox: "" }, { mailbox: "Two Words" }],
  async receive(behaviour, patienceMs) {
    const isThere = behaviour !== "is-not-there";
    const mailbox = isThere ? office.open(behaviour, behaviour) : undefined;
    return {
      given: { mailbox: behaviour, patienceMs },
      received: () => mailbox?.letters ?? [],
      outcomeKnown: async () => mailbox?.outcomeKnown(),
    };
  },
});
