// Guides name a port. A test must not depend on one being free, so this takes any and tells the parent which.
import { Server } from "node:net";

const { listen } = Server.prototype;

Server.prototype.listen = function (first, ...rest) {
  this.once("listening", () => process.send?.(this.address().port));
  return listen.call(this, typeof first === "object" ? { ...first, port: 0 } : 0, ...rest);
};
