interface Refused {
  readonly code: "E-DI-1001" | "E-DI-3005";
  readonly urls: readonly string[];
}

const hosts = (...names: readonly string[]): Refused => ({
  code: "E-DI-3005",
  urls: names.map((name) => `http://${name}/`),
});
const notAllowed = (...urls: readonly string[]): Refused => ({ code: "E-DI-3005", urls });
const malformed = (...urls: readonly string[]): Refused => ({ code: "E-DI-1001", urls });

/** Spellings of addresses that are not public, and URLs that lead somewhere other than they seem to. */
export const refusedUrls: Readonly<Record<string, Refused>> = {
  loopback: hosts("127.0.0.1", "127.0.0.1:8080", "127.255.255.254", "[::1]", "[::1]:8080"),
  "loopback by TLS": notAllowed("https://127.0.0.1/", "https://[::1]:8443/x?y=z"),
  decimal: hosts("2130706433", "2852039166", "167772161", "3232235777", "4294967295"),
  octal: hosts("0177.0.0.1", "0177.0.0.01", "017700000001", "00000177.1", "0300.0250.1.1"),
  hexadecimal: hosts("0x7f.1", "0x7f000001", "0X7F.0x0.0x0.0x1", "0xa9fea9fe", "0x0a000001"),
  short: hosts("127.1", "127.0.1", "0", "0x", "10.1", "192.168.257", "169.254.43518"),
  mixed: hosts("0x7f.0.0.01", "127.0.0.0x1", "0177.0x1", "0xa9.254.0251.0xfe"),
  "with a dot at the end": hosts("127.0.0.1.", "10.0.0.1.", "0x7f000001.", "2130706433."),
  private: hosts("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
  "link-local": hosts("169.254.0.1", "169.254.255.254", "[fe80::1]", "[febf::1]"),
  metadata: hosts("169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "192.0.0.192"),
  "metadata of Azure": hosts("168.63.129.16", "[::ffff:168.63.129.16]"),
  "carrier-grade NAT": hosts("100.64.0.1", "100.127.255.255"),
  multicast: hosts("224.0.0.1", "239.255.255.255", "[ff02::1]", "[ff0e::1]"),
  unspecified: hosts("0.0.0.0", "0.1.2.3", "[::]"),
  "broadcast and reserved": hosts("255.255.255.255", "240.0.0.1", "192.0.0.1", "[4000::1]"),
  "documentation and benchmarks": hosts(
    ...["192.0.2.1", "198.51.100.1", "203.0.113.1", "203.0.113.76", "198.18.0.1"],
    ...["[2001:db8::1]", "[3fff::1]", "[2001:2::1]"],
  ),
  "unique-local and site-local": hosts("[fc00::1]", "[fd12:3456::1]", "[fec0::1]"),
  "discard and segment routing": hosts("[100::1]", "[5f00::1]"),
  "IPv4-mapped": hosts(
    ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:FFFF:7F00:0001]"],
    ...["[::ffff:a9fe:a9fe]", "[::ffff:10.0.0.1]", "[::ffff:0:127.0.0.1]"],
  ),
  "IPv4-compatible": hosts("[::127.0.0.1]", "[::7f00:1]", "[::10.0.0.1]", "[::a9fe:a9fe]"),
  NAT64: hosts(
    ...["[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]"],
    ...["[64:ff9b:1::7f00:1]", "[64:ff9b:1:ffff::1]"],
  ),
  "6to4": hosts("[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2002:a00:1::1]", "192.88.99.1"),
  Teredo: hosts("[2001::1]", "[2001:0:7f00:1::80ff:fffe]"),
  ISATAP: hosts(
    ...["[fe80::5efe:7f00:1]", "[2606:4700::5efe:127.0.0.1]"],
    ...["[2606:4700::200:5efe:a9fe:a9fe]", "[2606:4700:1:2:0:5efe:10.0.0.1]"],
  ),
  "other digits and dots": hosts(
    "①②⑦.0.0.1",
    "１２７.0.0.1",
    "127。0。0。1",
    "127．0．0．1",
    "𝟏𝟐𝟕.0.0.1",
  ),
  "percent-encoded": hosts("%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6c%6f%63%61%6c%68%6f%73%74"),
  localhost: hosts(
    ...["localhost", "LOCALHOST", "localhost:8080", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "local\u00adhost"],
    ...["metadata.localhost", "a.b.LocalHost", "a.localhost."],
  ),
  "names with an address inside": hosts("internal.test", "half-internal.test"),
  "slashes of another kind": notAllowed(
    ...["http:127.0.0.1/", "http:/127.0.0.1/", "http:\\\\127.0.0.1\\", "http:///127.0.0.1/"],
    ...["http:\\/\\/127.0.0.1/", "http://127.0.0.1\\@hooks.example.com/"],
  ),
  "credentials in the URL": malformed(
    ...["http://user@hooks.example.com/", "http://user:pass@hooks.example.com/"],
    ...["http://hooks.example.com@127.0.0.1/", "http://127.0.0.1:80@hooks.example.com/"],
    ...["http://:@127.0.0.1@hooks.example.com/", "http://127.0.0.1%40@hooks.example.com/"],
  ),
  "a fragment in front of the host": malformed(
    "http://127.0.0.1#@hooks.example.com/",
    "http://hooks.example.com#@127.0.0.1/",
  ),
  "tabs, line breaks and blanks": malformed(
    ...["http://127.0.0.1\t/", "http://127.0.\n0.1/", "ht\ntp://127.0.0.1/", " http://127.0.0.1/"],
    ...["http://127.0.0.1/\r\nHost: x", "http://hooks.example.com/ x", "http://127.0.0.1\0/"],
    ...["http://hooks.example.com/\u007f", "\u0000http://127.0.0.1/"],
  ),
  "brackets and zones": malformed(
    ...["http://[::1%25lo]/", "http://[fe80::1%eth0]/", "http://[::1/", "http://::1/"],
    ...["http://[127.0.0.1]/", "http://[::1]./", "http://[::ffff:0x7f.1]/", "http://[[::1]]/"],
  ),
  "no host at all": malformed("http://", "http:///", "http://?", "http://:80/", "http://%00/"),
  "numbers that are none": malformed(
    "http://4294967296/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
  ),
  "ports that are none": malformed(
    ...["http://hooks.example.com:0/", "http://hooks.example.com:00/"],
    ...["http://hooks.example.com:65536/", "http://hooks.example.com:-1/"],
  ),
  "other schemes": malformed(
    ...["file:///etc/passwd", "ftp://hooks.example.com/", "gopher://127.0.0.1:6379/_INFO"],
    ...[
      "javascript:alert(1)",
      "data:text/plain,x",
      "ws://127.0.0.1/",
      "//127.0.0.1/",
      "unix:/run/x",
    ],
    ...["jar:http://127.0.0.1!/", "view-source:http://127.0.0.1/", "blob:http://127.0.0.1/x"],
    ...["http+unix://%2Fvar%2Frun%2Fdocker.sock/", "dict://127.0.0.1:11211/stat", "about:blank"],
  ),
};
